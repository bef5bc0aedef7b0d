# run.cmake - exports of a document, opened in speedscope by a browser without a screen.
include(${CMAKE_CURRENT_LIST_DIR}/../../npm_packages.cmake)
find_program(chromium NAMES chromium chromium-browser google-chrome)
need_programs("open exports" chromium)
install_packages()
file(COPY ${SOURCE}/open.mjs DESTINATION ${WORK})

execute_process(COMMAND ${WRITE_EXPORTS} ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${node} open.mjs ${chromium} sample.json sample.json.gz hostile.json hta.json
                WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
