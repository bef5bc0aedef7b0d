# run.cmake - our files, read by the reference reader of MCAP: it must print expected.txt.
include(${CMAKE_CURRENT_LIST_DIR}/../../npm_packages.cmake)
need_programs("check documents")
install_packages()
file(COPY ${SOURCE}/oracle.mjs DESTINATION ${WORK})

execute_process(COMMAND ${WRITE_FILES} ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${node} oracle.mjs whole.reel cut.reel recovered.reel WORKING_DIRECTORY ${WORK}
                OUTPUT_FILE ${WORK}/found.txt COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND diff -u ${SOURCE}/expected.txt ${WORK}/found.txt RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The reference reader finds something else in our files (+) than is in them (-).")
endif()

# And a document as programs leave it: other times and sizes each run, but whole by both ways of reading.
file(REMOVE ${WORK}/captured.reel)
set(ENV{REEL_DEVICE} host)
execute_process(COMMAND ${CAPTURE} captured.reel WORKING_DIRECTORY ${WORK} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${node} oracle.mjs captured.reel WORKING_DIRECTORY ${WORK} OUTPUT_VARIABLE found
                COMMAND_ERROR_IS_FATAL ANY)
foreach(wanted "profile reel, by reel [0-9.]+; it ends well" " index: [0-9]+ messages, 21 channels, 1 schemas"
               "channel /commands \\(flatbuffer\\) of reel.schema.Batch" "/commands: [0-9]+ messages in order"
               "attachment xxh3:[0-9a-f]+ \\(application/zstd\\)" "metadata reel.end: .*commands=10")
  if(NOT found MATCHES "${wanted}")
    message(FATAL_ERROR "The reference reader doesn't find '${wanted}' in a captured document, but:\n${found}")
  endif()
endforeach()
if(found MATCHES "ERROR|OUT OF ORDER")
  message(FATAL_ERROR "The reference reader finds fault with a captured document:\n${found}")
endif()
