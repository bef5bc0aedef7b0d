# install_and_use.cmake - installs a build into a fresh prefix, moves the prefix, and builds and
# runs the consumer against it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
# Moved, so that a path of the first place baked into anything shows.
file(RENAME ${WORK}/first ${WORK}/prefix)

run(${WORK}/prefix/bin/reel --version)
if(NOT output MATCHES "reel ${VERSION}")
  message(FATAL_ERROR "The installed program says it is '${output}', not 'reel ${VERSION}'.")
endif()

run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK}/consumer
    -D CMAKE_PREFIX_PATH=${WORK}/prefix -D WANTED_VERSION=${VERSION}
    -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer)
if(NOT output STREQUAL "1 2 3 4 on host\n")
  message(FATAL_ERROR "The consumer printed '${output}', not '1 2 3 4 on host'.")
endif()
