# local_symbols(VARIABLE OBJECTS): what a static library is made of, in VARIABLE: the objects of the library OBJECTS linked
# into one, where hidden names are local. Without objcopy or a linker of that kind: the objects themselves, whose names are
# then short and visible to whoever links them.
function(local_symbols variable objects)
  if(MSVC OR NOT (APPLE OR CMAKE_OBJCOPY))
    set(${variable} $<TARGET_OBJECTS:${objects}> PARENT_SCOPE)
    return()
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${objects}_local${CMAKE_C_OUTPUT_EXTENSION})
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
  list(FILTER flags EXCLUDE REGEX "^(-fsanitize|-flto|--coverage|-pg)")
  # 32-bit x86 has hidden functions in groups, which would be dropped once their names are local.
  if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND NOT WIN32 AND NOT APPLE)
    list(APPEND flags -Wl,--force-group-allocation)
  endif()
  set(localize)
  if(WIN32) # hidden is nothing to its format
    set(localize COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=argm*_cl* --keep-global-symbol=_argm*_cl* ${output})
  elseif(NOT APPLE) # whose linker makes them local by itself
    set(localize COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${output})
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_C_COMPILER} ${flags} -nostdlib -r -o ${output} $<TARGET_OBJECTS:${objects}>
    ${localize}
    DEPENDS ${objects} $<TARGET_OBJECTS:${objects}>
    COMMENT "Making internal names local"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
