# Kernels as C arrays. Included: embed_kernels(VARIABLE FOLDER) makes a C file from the .cl, .clh and .h files in and below
# FOLDER, remade when one of them changes, and puts its path into VARIABLE. Run with cmake -P (at build time): writes
# OUTPUT from FILES, named by their paths from FOLDER.
#
# Bytes instead of string literals: compilers need not take a literal above 4095 characters.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_kernels_script ${CMAKE_CURRENT_LIST_FILE})

  function(embed_kernels variable folder)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*.cl ${folder}/*.clh ${folder}/*.h)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/kernel_files.c)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFOLDER=${folder} "-DFILES=${files}" -P ${embed_kernels_script}
      DEPENDS ${files} ${embed_kernels_script}
      COMMENT "Embedding kernels"
      VERBATIM)
    set(${variable} ${output} PARENT_SCOPE)
  endfunction()
  return()
endif()

set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name ${FOLDER} ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  if(bytes MATCHES "0x([89a-f].|00)")
    message(FATAL_ERROR "${file}: expected ASCII text, found byte 0x${CMAKE_MATCH_1}")
  endif()
  string(REPLACE " \n" "\n    " bytes "${bytes}")
  string(APPEND arrays "static const char text_${number}[] = {\n    ${bytes}0x00};\n\n")
  string(APPEND rows "    {\"${name}\", text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made from kernels/ by cmake/EmbedKernels.cmake. */\n#include \"runtime/kernel_files.h\"\n\n${arrays}"
                     "const struct kernel_file kernel_files[] = {\n${rows}    {NULL, NULL},\n};\n")
