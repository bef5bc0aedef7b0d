# run.cmake - exports of a document, opened in speedscope by a browser without a screen.
#
# Its packages go to WORK, once: npm is asked again only when package-lock.json changed.
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

file(MAKE_DIRECTORY ${WORK})
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(installed "")
if(EXISTS ${WORK}/installed)
  file(READ ${WORK}/installed installed)
endif()
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/open.mjs DESTINATION ${WORK})
if(NOT installed STREQUAL wanted)
  execute_process(COMMAND ${npm} ci --no-audit --no-fund --ignore-scripts WORKING_DIRECTORY ${WORK}
                  OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "npm ci failed in ${WORK}:\n${said}")
  endif()
  file(WRITE ${WORK}/installed ${wanted})
endif()

execute_process(COMMAND ${WRITE_EXPORTS} ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${node} open.mjs ${chromium} sample.json sample.json.gz hostile.json hta.json
                WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
