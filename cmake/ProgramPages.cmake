# install_program_pages(PROGRAM SOURCE): the manual page, made from PROGRAM.1.in and the --help text in SOURCE, and the
# completion for bash. Called where PROGRAM is built.
function(install_program_pages program source)
  if(NOT UNIX OR NOT ARGMAX_CL_BUILD_PAGES)
    return()
  endif()
  set(page ${CMAKE_CURRENT_BINARY_DIR}/${program}.1)
  set(script ${PROJECT_SOURCE_DIR}/cmake/ManPage.cmake)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/${source} -DOUTPUT=${page}
            -DTEMPLATE=${CMAKE_CURRENT_SOURCE_DIR}/${program}.1.in -DVERSION=${PROJECT_VERSION} -P ${script}
    DEPENDS ${source} ${program}.1.in ${script}
    COMMENT "Making ${program}.1"
    VERBATIM)
  add_custom_target(${program}-page ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/completion.bash RENAME ${program} COMPONENT tools
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()
