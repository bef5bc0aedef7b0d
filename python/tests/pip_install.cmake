# pip_install.cmake - `pip install` of the package as it was built, into a folder, and a program that uses it there.
include(${CMAKE_CURRENT_LIST_DIR}/../../tests/package/run.cmake)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
# From a copy: setuptools leaves its own files in the folder that it builds from. CMakeLists.txt tells the version.
get_filename_component(root ${SOURCE} DIRECTORY)
file(COPY ${root}/CMakeLists.txt DESTINATION ${WORK}/source)
file(COPY ${SOURCE}/reel ${SOURCE}/pyproject.toml ${SOURCE}/setup.py DESTINATION ${WORK}/source/python)
run(${CMAKE_COMMAND} -E env REEL_BUILD_DIR=${BUILD} ${PYTHON} -m pip install --no-index --no-build-isolation --quiet
    --disable-pip-version-check --no-cache-dir --target ${WORK}/installed ${WORK}/source/python)
file(WRITE ${WORK}/program.py [[
import reel
print(reel.__version__, reel.__file__, reel.open_device("host").buffer(b"abc").read().tobytes())
]])
run(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH PYTHONPATH=${WORK}/installed ${PYTHON} ${WORK}/program.py)
if(NOT output STREQUAL "${VERSION} ${WORK}/installed/reel/__init__.py b'abc'\n")
  message(FATAL_ERROR "The installed package says '${output}'.")
endif()
run(${CMAKE_COMMAND} -E chdir ${WORK} sh -c "ldd installed/reel/_reel*.so")
if(NOT output MATCHES "libreel.so.0 => ${WORK}/installed/reel/libreel.so.0")
  message(FATAL_ERROR "The installed extension doesn't take the library beside it:\n${output}")
endif()
