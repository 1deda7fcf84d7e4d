# cmake -DPROGRAM=... -DEXPECTED=... -P run.cmake: the program must succeed and print exactly EXPECTED, where | ends a line;
# or, when EXPECTED is a source in FOLDER, what that says after "It prints".
# (CTest's PASS_REGULAR_EXPRESSION would not look at the exit status.)
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE printed)
if(EXPECTED MATCHES "^[a-z]+[.][a-z0-9]+$")
  file(STRINGS ${FOLDER}/${EXPECTED} lines REGEX "^( [*]|//|!)     ")
  list(TRANSFORM lines REPLACE "^( [*]|//|!)     " "")
  list(JOIN lines "|" EXPECTED)
  string(APPEND EXPECTED "|")
endif()
string(REPLACE "|" "\n" expected "${EXPECTED}")
if(NOT status STREQUAL "0" OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "exit status ${status}\n-- printed:\n${printed}-- expected:\n${expected}")
endif()
