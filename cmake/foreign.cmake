# Other people's libraries, and the one room where each is at home.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(EVENT REQUIRED IMPORTED_TARGET libevent_core libevent_extra
                  libevent_openssl)
pkg_check_modules(OPENSSL REQUIRED IMPORTED_TARGET openssl)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
find_library(GSL_LIBRARY gsl REQUIRED)
find_library(OPENBLAS_LIBRARY openblas REQUIRED)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)

set(FOREIGN_base PkgConfig::YAML m)
set(FOREIGN_study PkgConfig::JANSSON)
set(FOREIGN_io PkgConfig::EVENT PkgConfig::OPENSSL PkgConfig::CURL
               Threads::Threads)
set(FOREIGN_metrics PkgConfig::JANSSON)
set(FOREIGN_algorithms ${GSL_LIBRARY} ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY} m)
set(FOREIGN_store PkgConfig::SQLITE)
set(FOREIGN_cli PkgConfig::JANSSON hypertune::static)
set(FOREIGN_tuner PkgConfig::JANSSON)
set(FOREIGN_face PkgConfig::JANSSON)
