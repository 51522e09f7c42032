# The three programs: the service, the command line, and the per-job supervisor.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/tuner/main.c OR NOT EXISTS ${PROJECT_SOURCE_DIR}/cli/main.c
   OR NOT EXISTS ${PROJECT_SOURCE_DIR}/trials/shim.c)
  return() # TEMPORARY while the rooms are built
endif()
add_executable(hypertuned tuner/main.c)
house(hypertuned)
target_link_libraries(hypertuned PRIVATE tuner)

add_executable(hypertune cli/main.c)
house(hypertune)
target_link_libraries(hypertune PRIVATE cli)

# Small and static: it is started once per trial attempt.
add_executable(hypertune-shim trials/shim.c)
house(hypertune-shim)
if(NOT HYPERTUNE_SANITIZE AND NOT HYPERTUNE_TSAN)
  target_link_options(hypertune-shim PRIVATE -static)
endif()

install(TARGETS hypertuned hypertune hypertune-shim
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
