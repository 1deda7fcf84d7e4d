# cmake -DPROGRAM=... -DEXPECTED=... -P run.cmake: the program must succeed and print exactly EXPECTED, where | ends a line.
# (CTest's PASS_REGULAR_EXPRESSION would not look at the exit status.)
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE printed)
string(REPLACE "|" "\n" expected "${EXPECTED}")
if(NOT status STREQUAL "0" OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "exit status ${status}\n-- printed:\n${printed}-- expected:\n${expected}")
endif()
