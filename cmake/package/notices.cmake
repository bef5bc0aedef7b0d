# notices.cmake - licences of what is compiled into Reel, as OUTPUT: those of Debian's packages, and in NODE_MODULES of what the
# page is bundled with. Libraries that are linked at run time bring their own.
set(text "Reel contains code of the projects below, compiled in. Their copyright notices and licences follow.\n")
set(rule "\n================================================================================\n")
foreach(package libcli11-dev libfmt-dev nlohmann-json3-dev libdeflate-dev libflatbuffers-dev libvulkan-volk-dev libxxhash-dev
                libshaderc-dev glslang-dev spirv-tools pybind11-dev)
  set(notice /usr/share/doc/${package}/copyright)
  if(EXISTS ${notice})
    file(READ ${notice} content)
    string(APPEND text "${rule}${package}${rule}\n${content}")
  endif()
endforeach()
foreach(package preact @preact/signals @preact/signals-core)
  if(NODE_MODULES AND EXISTS ${NODE_MODULES}/${package}/LICENSE)
    file(READ ${NODE_MODULES}/${package}/LICENSE content)
    string(APPEND text "${rule}${package}${rule}\n${content}")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${text}")
