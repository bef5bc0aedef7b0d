# run(<words...>): runs a command; ends the script when it fails, with what it said.
# Its standard output is left in `output`.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "${line}\nended with ${result}:\n${out}${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()
