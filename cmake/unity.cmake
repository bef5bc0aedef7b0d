# reel_unity(target [folder...]): the sources of each folder are compiled as one. What headers cost, and templates, is then
# paid once a folder: that takes a third off the CPU time of the library (0.56 to 0.73 of it is left, by folder). Names in unnamed namespaces must
# therefore differ within a folder. Files include what they use all the same: the presets dev, tidy and fuzz compile
# each file by itself. A file with options of its own stays alone. So do the files of the folders named
# here. To be called in the folder that makes the target, when it has all its sources.
option(REEL_UNITY "Compile the sources of each folder as one, which takes a third off the CPU time of a build" ON)

function(reel_unity target)
  if(NOT REEL_UNITY)
    return()
  endif()
  set(most 14)  # files in one: a change compiles all of them again
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    if(folder IN_LIST ARGN)
      continue()
    endif()
    list(APPEND groups ${group})
    list(APPEND in_${group} ${source})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    list(LENGTH in_${group} count)
    math(EXPR parts "(${count} + ${most} - 1) / ${most}")
    set(index 0)
    foreach(source IN LISTS in_${group})
      math(EXPR part "${index} * ${parts} / ${count}")
      math(EXPR index "${index} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
    endforeach()
  endforeach()
endfunction()
