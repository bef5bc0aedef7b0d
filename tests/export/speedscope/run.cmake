# run.cmake - exports of a document, opened in speedscope by a browser without a screen.
include(${CMAKE_CURRENT_LIST_DIR}/../../npm_packages.cmake)
find_program(npm npm)
find_program(node node)
find_program(chromium NAMES chromium chromium-browser google-chrome)
if(NOT npm OR NOT node OR NOT chromium)
  if(DEFINED ENV{REEL_REQUIRE_DEVICES})
    message(FATAL_ERROR "node, npm and chromium are needed to open exports; ./dev test installs them.")
  endif()
  message("node, npm or chromium is not here")
  return()
endif()

install_packages(${npm})
file(COPY ${SOURCE}/open.mjs DESTINATION ${WORK})

execute_process(COMMAND ${WRITE_EXPORTS} ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${node} open.mjs ${chromium} sample.json sample.json.gz hostile.json hta.json
                WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
