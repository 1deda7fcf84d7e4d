# What cmake --install puts where, in the components runtime, dev and tools. Programs and the Fortran module are
# installed by their own folders.
include(CMakePackageConfigHelpers)

install(TARGETS argmax_cl EXPORT argmax_clTargets RUNTIME COMPONENT runtime
        LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
        ARCHIVE COMPONENT dev)
install(TARGETS argmax_cl_static EXPORT argmax_clTargets COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# CMake package: find_package(argmax_cl) gives argmax_cl::argmax_cl and argmax_cl::argmax_cl_static.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/argmax_cl)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/argmax_clConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/argmax_clConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/argmax_clConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/argmax_clConfig.cmake ${PROJECT_BINARY_DIR}/argmax_clConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)
install(EXPORT argmax_clTargets NAMESPACE argmax_cl:: DESTINATION ${package_dir} COMPONENT dev)

# pkg-config file, relocatable: its prefix is found from where it lies. OpenCL is named where it has such a file itself.
set(ARGMAX_CL_PC_REQUIRES "")
set(ARGMAX_CL_PC_LIBS " -lOpenCL")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(ARGMAX_CL_OPENCL QUIET OpenCL)
  if(ARGMAX_CL_OPENCL_FOUND)
    set(ARGMAX_CL_PC_REQUIRES "OpenCL")
    set(ARGMAX_CL_PC_LIBS "")
  endif()
endif()
file(RELATIVE_PATH ARGMAX_CL_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/argmax_cl.pc.in ${PROJECT_BINARY_DIR}/argmax_cl.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/argmax_cl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
if(TARGET argmax_cl_fortran)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/argmax_cl_fortran.pc.in ${PROJECT_BINARY_DIR}/argmax_cl_fortran.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/argmax_cl_fortran.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT dev)
endif()
