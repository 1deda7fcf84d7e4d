# localized_objects(VARIABLE TARGET): what a static library of the object library TARGET is made of. With GNU tools this
# is one object in which every hidden symbol has become local, so that a program linked with the library may use names
# like ours; elsewhere it is the objects as they are.
function(localized_objects variable target)
  if(NOT (CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND CMAKE_OBJCOPY))
    set(${variable} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
    return()
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_localized.o)
  set(no_lto "")
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(no_lto -flinker-output=nolto-rel)
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib ${no_lto} -o ${output} $<TARGET_OBJECTS:${target}>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${output}
    DEPENDS ${target} $<TARGET_OBJECTS:${target}>
    COMMENT "Hiding internal names of the static library"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${output} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
