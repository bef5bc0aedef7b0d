# reel_test_shader(file name folder [option...]): compiles a shader (GLSL, or SPIR-V as text), options being those of
# glslangValidator, and writes its words as a C array `name` into a header of the file's name in `folder`. Appends the
# header to `shader_headers`.
find_program(REEL_TEST_GLSLANG glslangValidator REQUIRED)
find_program(REEL_TEST_SPIRV_AS spirv-as REQUIRED)
set(REEL_TEST_EMBED ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

function(reel_test_shader file name folder)
  file(MAKE_DIRECTORY ${folder})
  get_filename_component(stem ${file} NAME)
  string(REGEX REPLACE "\\.(comp|spvasm)$" "" stem ${stem})
  string(REPLACE "." "_" stem ${stem})
  set(words ${folder}/${stem}.spv)
  if(file MATCHES "spvasm$")
    set(compile ${REEL_TEST_SPIRV_AS} --target-env vulkan1.0 ${file} -o ${words})
  else()
    set(compile ${REEL_TEST_GLSLANG} --quiet --target-env vulkan1.2 -V ${ARGN} ${file} -o ${words})
  endif()
  add_custom_command(OUTPUT ${folder}/${stem}.h
                     COMMAND ${compile}
                     COMMAND ${CMAKE_COMMAND} -DFROM=${words} -DTO=${folder}/${stem}.h -DNAME=${name} -P ${REEL_TEST_EMBED}
                     DEPENDS ${file} ${REEL_TEST_EMBED} VERBATIM)
  set(shader_headers ${shader_headers} ${folder}/${stem}.h PARENT_SCOPE)
endfunction()
