# package.cmake - what CPack makes of a build: Debian packages, and one tree in a tar.gz that runs from any folder. `./dev package`
# builds the target reel_packaged, which is all that goes into them, and runs it.
add_custom_target(reel_packaged DEPENDS reel reel_cli reel_layer reel_pages reel_notices)
foreach(target reel_mpi reel_mpi_mpich reel_python)
  if(TARGET ${target})
    add_dependencies(reel_packaged ${target})
  endif()
endforeach()
set(CPACK_PACKAGE_NAME reel)
set(CPACK_PACKAGE_VENDOR "Reel")
# .invalid is a name that nobody can have (RFC 2606): a package that was made by hand promises nobody's mailbox.
set(REEL_PACKAGE_CONTACT "Reel developers <developers@reel.invalid>" CACHE STRING "Maintainer of packages; who publishes them gives an address")
set(CPACK_PACKAGE_CONTACT "${REEL_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "records GPU compute work, analyses it, and replays it")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL library development program)
if(TARGET reel_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
# Man pages compressed, notices, modes and times, libraries for the tar.gz.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/stage.cmake)
set(CPACK_REEL_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_REEL_ARCHITECTURE ${CMAKE_LIBRARY_ARCHITECTURE})
set(CPACK_REEL_LIBDIR ${CMAKE_INSTALL_LIBDIR})
set(CPACK_REEL_PYTHON_DIR "${REEL_PYTHON_DIR}")
set(CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} reel ALL /)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/generator.cmake)
set(CPACK_GENERATOR DEB TGZ)

set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libreel0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/shlibs ${PROJECT_BINARY_DIR}/package/triggers)
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs "libreel 0 libreel0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "ocl-icd-libopencl1, libvulkan1")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "library that runs and records GPU compute work
 Reel runs compute work on the host, on OpenCL and on Vulkan through one
 API, records it into documents, and replays them bit for bit. Drivers are
 loaded at run time; without any, documents can still be read, and the host
 computes.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libreel-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libreel0 ${same}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "headers of the library reel
 What is needed to compile programs that use Reel: its public headers, files
 for find_package(reel) of CMake, and reel_app.h, with which a program of any
 kind starts and stops its own capture.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME reel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libreel0 ${same}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ocl-icd-libopencl1, libvulkan1")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "pocl-opencl-icd, mesa-vulkan-drivers, man-db, bash-completion")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "records GPU compute work of programs, and replays it
 Reel records the OpenCL and Vulkan compute work of a program into one
 document: commands, timings, kernels, arguments and buffer contents. The
 program reel then shows it, in the terminal or in the browser, finds what
 makes it slow, compares it with another one, and runs it again to compare
 every byte.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-reel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
if(TARGET reel_python) # an extension is for one minor version
  get_target_property(minor reel_python REEL_PYTHON_MINOR)
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libreel0 ${same}, python3 (>= 3.${minor}~), python3 (<< 3.${next}), python3-numpy")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/package/postinst
                                              ${PROJECT_SOURCE_DIR}/cmake/package/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "GPU compute work in Python: capture, read, replay
 The Python package reel: documents of Reel as NumPy arrays, captures, replays,
 findings, and the library itself with its devices, kernels and graphs.")
include(CPack)
