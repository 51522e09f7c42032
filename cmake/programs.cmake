# The three programs: the service, the command line, and the per-job supervisor;
# and where they and what belongs to them are installed.
add_executable(hypertuned service/main.c)
house(hypertuned)
target_link_libraries(hypertuned PRIVATE service)

add_executable(hypertune cli/main.c)
house(hypertune)
target_link_libraries(hypertune PRIVATE cli)

# Small and static: it is started once per trial attempt.
add_executable(hypertune-shim trials/shim.c trials/crew.c trials/cage.c
               trials/roster.c)
house(hypertune-shim)
if(NOT HYPERTUNE_SANITIZE AND NOT HYPERTUNE_TSAN)
  target_link_options(hypertune-shim PRIVATE -static)
endif()

# One folder for all three: each finds the others beside itself.
install(TARGETS hypertuned hypertune hypertune-shim
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES man/hypertune.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES man/hypertuned.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(FILES completions/hypertune.bash RENAME hypertune
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The units name the program as it is installed, and `--prefix` is known only
# then.
foreach(kind "" -user)
  string(CONCAT unit_script
    "set(HYPERTUNED \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/hypertuned\")\n"
    "configure_file(\"${PROJECT_SOURCE_DIR}/packaging/hypertuned${kind}.service.in\"\n"
    "  \"${PROJECT_BINARY_DIR}/hypertuned${kind}.service\" @ONLY)")
  install(CODE "${unit_script}")
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/hypertuned.service
        DESTINATION lib/systemd/system)
install(FILES ${PROJECT_BINARY_DIR}/hypertuned-user.service
        RENAME hypertuned.service DESTINATION lib/systemd/user)
install(FILES packaging/hypertune.sysusers RENAME hypertune.conf
        DESTINATION lib/sysusers.d)
