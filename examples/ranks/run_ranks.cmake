# run_ranks.cmake - four ranks under mpirun (MPIRUN) with PROGRAM, one of them slowed by a known time, recorded into the
# folder WORK; REEL must name it and what it costs. Once more with calls of MPI recorded by MPI_LIBRARY, where there is one: then
# the call in which the others wait is named, too.
#
# The rule: what is found is within 5 % of what the program measured itself, medians of a step: how much longer 'sample'
# took than in the median of the others, and how much earlier the others were done, or with recorded calls how much longer they were
# in the all-reduce than the last one. The system may let them sleep longer than asked.
cmake_minimum_required(VERSION 3.25)
set(slow_rank 2)
set(slow_us 20000)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)

function(check name expected found)
  if(NOT expected STREQUAL found)
    message(FATAL_ERROR "${name}: expected ${expected}, found ${found}")
  endif()
endfunction()
# near(name found_ns expected_ns): within 5 %.
function(near name found expected)
  math(EXPR least "${expected} * 95 / 100")
  math(EXPR most "${expected} * 105 / 100")
  if(found LESS least OR found GREATER most)
    message(FATAL_ERROR "${name}: ${found} ns is not within 5 % of ${expected} ns")
  endif()
endfunction()

# measured(before after out): the number of us that the program printed between these, in ns.
function(measured before after out)
  if(NOT output MATCHES "${before} ([0-9]+) us ${after}")
    message(FATAL_ERROR "The program printed no '${before} … us ${after}':\n${output}")
  endif()
  math(EXPR ns "${CMAKE_MATCH_1} * 1000")
  set(${out} ${ns} PARENT_SCOPE)
endfunction()

# try(name before after words…): what it costs is measured between `before` and `after`; `words` are mpirun's.
function(try name before after)
  set(work ${WORK}/${name})
  file(REMOVE_RECURSE ${work})
  file(MAKE_DIRECTORY ${work})
  set(ENV{REEL_CAPTURE_ENABLED} 1)
  set(ENV{REEL_CAPTURE} ${work}/run-%r.reel)
  set(ENV{REEL_CAPTURE_PASS} *)
  execute_process(COMMAND ${MPIRUN} --oversubscribe -n 4 ${ARGN} ${PROGRAM} --steps 40 --slow-rank ${slow_rank} --slow-us ${slow_us}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "mpirun: ${result}\n${output}${errors}")
  endif()
  unset(ENV{REEL_CAPTURE_ENABLED})
  execute_process(COMMAND ${REEL} ranks ${work} RESULT_VARIABLE result)
  execute_process(COMMAND ${REEL} ranks ${work} --json RESULT_VARIABLE result OUTPUT_VARIABLE json)
  string(JSON clock GET "${json}" clock)
  check(clock known "${clock}")
  string(JSON straggler GET "${json}" straggler)
  check(straggler ${slow_rank} "${straggler}")
  string(JSON name GET "${json}" ranks ${slow_rank} cause rows 0 name)
  check(kernel sample "${name}")
  string(JSON excess GET "${json}" ranks ${slow_rank} cause rows 0 excess_ns)

  measured("took" "longer" longer)
  near("what 'sample' takes longer" ${excess} ${longer})
  string(JSON cost GET "${json}" ranks ${slow_rank} cost_ns)
  measured("${before}" "${after}" waited)
  near("its cost" ${cost} ${waited})
  set(json "${json}" PARENT_SCOPE)
endfunction()

try(plain "were done" "before")
if(MPI_LIBRARY)
  try(recorded "others waited" "in the all-reduce" -x LD_PRELOAD=${MPI_LIBRARY})
  string(JSON recorded GET "${json}" waits_recorded)
  check(waits_recorded ON "${recorded}")
  string(JSON name GET "${json}" ranks 0 waits 0 name)
  check("where rank 0 waits" MPI_Allreduce "${name}")
endif()
