# run.cmake - `tables`: those that a generator made, and exports of documents, read by others' readers. `fleet`: a thousand
# documents that are asked by `reel sql` and, as Parquet, by DuckDB.
include(${CMAKE_CURRENT_LIST_DIR}/../npm_packages.cmake)
need_programs("read exports")
install_packages(install)
file(COPY ${SOURCE}/ask_fleet.mjs ${SOURCE}/read_tables.mjs ${SOURCE}/readers.mjs DESTINATION ${WORK})

if(WHAT STREQUAL "tables")
  execute_process(COMMAND ${WRITE} tables 0 45 WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${node} read_tables.mjs tables WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
else()
  execute_process(COMMAND ${WRITE} fleet 1000 WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${node} ask_fleet.mjs ${REEL} fleet WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endif()
