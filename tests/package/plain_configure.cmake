# plain_configure.cmake - configures the project as a packager would, with every library that only
# developers need hidden, and looks at what it would build and install.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK} -D CMAKE_CXX_COMPILER=${CXX}
    -D REEL_DEVELOPER_MODE=OFF -D CMAKE_BUILD_TYPE=Release
    -D CMAKE_DISABLE_FIND_PACKAGE_GTest=ON -D CMAKE_DISABLE_FIND_PACKAGE_OpenCL=ON)
run(${CMAKE_COMMAND} --build ${WORK} --target help)
foreach(wanted reel reel_cli)
  if(NOT output MATCHES "\n${wanted}: ")
    message(FATAL_ERROR "Without developer mode there is no target '${wanted}':\n${output}")
  endif()
endforeach()
if(output MATCHES "_test:")
  message(FATAL_ERROR "Without developer mode tests are still built:\n${output}")
endif()
