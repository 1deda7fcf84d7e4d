# Faults: a layer between the programs and OpenCL, and programs that make calls fail (layers/control.h, faults/*.c).
# Where the headers lack layers, or the linker cannot wrap functions, they are not built.
include(CheckIncludeFile)
include(CheckLinkerFlag)
set(CMAKE_REQUIRED_INCLUDES ${OpenCL_INCLUDE_DIRS})
set(CMAKE_REQUIRED_DEFINITIONS -DCL_TARGET_OPENCL_VERSION=300)
check_include_file(CL/cl_layer.h ARGMAX_CL_HAS_LAYER_HEADER)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_DEFINITIONS)
check_linker_flag(C -Wl,--wrap=malloc ARGMAX_CL_HAS_WRAP)
if(NOT ARGMAX_CL_HAS_LAYER_HEADER OR NOT ARGMAX_CL_HAS_WRAP)
  message(STATUS "Tests: those with faults are not built, CL/cl_layer.h or the linker's --wrap is missing")
  return()
endif()

add_library(argmax_cl_test_layer MODULE layers/layer.c layers/faults.c layers/objects.c layers/calls_query.c
                                        layers/calls_object.c layers/calls_command.c)
set_target_properties(argmax_cl_test_layer PROPERTIES C_VISIBILITY_PRESET default)
target_compile_definitions(argmax_cl_test_layer PRIVATE _XOPEN_SOURCE=700)
target_include_directories(argmax_cl_test_layer PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(argmax_cl_test_layer SYSTEM PRIVATE ${OpenCL_INCLUDE_DIRS})
target_link_libraries(argmax_cl_test_layer PRIVATE Threads::Threads)

file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/config/argmax_cl)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/config/argmax_cl/tuning "cpu one_launch=0\ngpu one_launch=0\n")

add_library(argmax_cl_fault_support STATIC faults/world.c faults/census.c faults/scenarios.c faults/verdict.c faults/host_faults.c
                                           layers/open.c)
target_compile_definitions(argmax_cl_fault_support PUBLIC FAULTS_BUILT="${CMAKE_CURRENT_BINARY_DIR}"
                                                          FAULTS_KERNELS="${PROJECT_SOURCE_DIR}/kernels")
target_link_libraries(argmax_cl_fault_support PUBLIC argmax_cl_test_support ${CMAKE_DL_LIBS})
foreach(function malloc calloc realloc free fopen fclose ferror pthread_mutex_init pthread_mutex_destroy)
  target_link_options(argmax_cl_fault_support INTERFACE -Wl,--wrap=${function})
endforeach()

# A program of faults/, which skips where the ICD loader takes no layers.
function(add_fault_test name source)
  add_executable(${source} faults/${source}.c)
  target_link_libraries(${source} PRIVATE argmax_cl_fault_support argmax_cl_objects)
  add_test(NAME ${name} COMMAND ${source} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS device TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT
                       "OPENCL_LAYERS=$<TARGET_FILE:argmax_cl_test_layer>;ARGMAX_CL_TUNING=")
endfunction()
add_fault_test(faults run_faults)
add_fault_test(lifetimes run_lifetimes)
add_fault_test(limits run_limits)

# Other tests while the layer watches: nothing that OpenCL forbids, nothing left alive.
function(add_watched_test name target)
  if(TARGET ${target})
    add_test(NAME watched_${name} COMMAND ${target} ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(
      watched_${name} PROPERTIES LABELS device TIMEOUT 900 ENVIRONMENT
      "OPENCL_LAYERS=$<TARGET_FILE:argmax_cl_test_layer>;ARGMAX_CL_LAYER_STRICT=1;ARGMAX_CL_TUNING=;CK_FORK=no")
  endif()
endfunction()
add_watched_test(problems run_problem --route plan --file narrow.txt --route call --file parts.txt --route host --file
                 parts.txt)
add_watched_test(random fuzz_problems --count 30 --seed 5 --kinds 2)
add_watched_test(stress run_stress 1)
foreach(test events plans host buffers threads)
  add_watched_test(${test} test_${test})
endforeach()

if(CMAKE_NM AND NOT ARGMAX_CL_SANITIZE AND NOT ARGMAX_CL_COVERAGE)
  add_test(NAME layer_covers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/layer_covers.sh ${CMAKE_NM} $<TARGET_FILE:argmax_cl>
                                     $<TARGET_FILE:argmax_cl_test_layer>)
  set_tests_properties(layer_covers PROPERTIES LABELS unit)
endif()
