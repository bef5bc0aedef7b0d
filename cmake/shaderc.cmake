# reel_shaderc: GLSL to SPIR-V. Debian 12's libshaderc.so leaves glslang's symbols open and has no
# dependency that would fill them, so the static parts are linked, each before what it needs.
add_library(reel_shaderc INTERFACE)
foreach(part shaderc_combined glslang MachineIndependent GenericCodeGen OSDependent OGLCompiler SPIRV
             HLSL SPIRV-Tools-opt SPIRV-Tools)
  find_library(REEL_${part} NAMES lib${part}.a REQUIRED)
  target_link_libraries(reel_shaderc INTERFACE ${REEL_${part}})
endforeach()
