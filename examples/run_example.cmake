# run_example.cmake - runs PROGRAM on DEVICE with ARGUMENTS (joined by |); skips where there is no
# such device, unless REEL_REQUIRE_DEVICES=1.
set(ENV{REEL_DEVICE} "${DEVICE}")
string(REPLACE "|" ";" arguments "${ARGUMENTS}")
execute_process(COMMAND "${PROGRAM}" ${arguments} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT result EQUAL 0)
  if("${errors}" MATCHES "No device |can't be opened" AND NOT "$ENV{REEL_REQUIRE_DEVICES}" STREQUAL "1")
    message("SKIPPED: no ${DEVICE} device here")
    return()
  endif()
  message(FATAL_ERROR "${PROGRAM} on ${DEVICE}: ${result}")
endif()
