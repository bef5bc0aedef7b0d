# stage.cmake - run by CPack when files are installed into its folder, before it packs them.
#
# Debian's packages: no path to libraries in programs, since the system has one; man pages compressed; copyright and changelog.
# The tar.gz: libraries that a bare system lacks, and programs that find them beside themselves.
# Both: modes and times that don't depend on who builds, and when.
cmake_policy(VERSION 3.25)
set(top ${CPACK_TEMPORARY_DIRECTORY})
set(source ${CPACK_REEL_SOURCE_DIR})
set(epoch $ENV{SOURCE_DATE_EPOCH})
if(NOT epoch)
  set(epoch 0)
endif()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result ERROR_VARIABLE err OUTPUT_QUIET)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "${line}\nended with ${result}: ${err}")
  endif()
endfunction()

# Programs and libraries below a folder, links left out.
function(find_binaries folder result)
  file(GLOB_RECURSE files LIST_DIRECTORIES FALSE ${folder}/bin/* ${folder}/lib/*.so ${folder}/lib/*.so.*)
  set(found "")
  foreach(file IN LISTS files)
    if(NOT IS_SYMLINK ${file})
      list(APPEND found ${file})
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Everywhere in a file; it must be there.
function(replace_in file from to)
  file(READ ${file} text)
  string(REPLACE "${from}" "${to}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${file} has no '${from}', so where the package puts its library can't be said there.")
  endif()
  file(WRITE ${file} "${changed}")
endfunction()

function(stage_debian component package)
  set(usr ${top}/${component}/usr)
  # Debian's interpreter looks there whatever its minor version; the prefix of a user has one for each.
  if(IS_DIRECTORY ${usr}/${CPACK_REEL_PYTHON_DIR})
    file(MAKE_DIRECTORY ${usr}/lib/python3/dist-packages)
    file(RENAME ${usr}/${CPACK_REEL_PYTHON_DIR}/reel ${usr}/lib/python3/dist-packages/reel)
    get_filename_component(above ${usr}/${CPACK_REEL_PYTHON_DIR} DIRECTORY)
    file(REMOVE_RECURSE ${above})
  endif()
  set(multiarch lib/${CPACK_REEL_ARCHITECTURE}) # where libraries of several architectures stand side by side
  # What loaders open by its path, and nobody links, has a folder of its own.
  if(EXISTS ${usr}/lib/libreel_layer.so)
    set(private ${multiarch}/reel)
    file(MAKE_DIRECTORY ${usr}/${private})
    file(GLOB modules ${usr}/lib/libreel_*.so)
    foreach(module IN LISTS modules)
      file(COPY ${module} DESTINATION ${usr}/${private})
      file(REMOVE ${module})
    endforeach()
    file(RENAME ${usr}/lib/reel/vulkan ${usr}/${private}/vulkan)
    file(REMOVE_RECURSE ${usr}/lib/reel)
    foreach(manifest ${private}/vulkan/VkLayer_reel.json share/vulkan/implicit_layer.d/VkLayer_reel_implicit.json)
      file(READ ${usr}/${manifest} text)
      string(REGEX REPLACE "(\"library_path\": *)\"[^\"]*\"" "\\1\"/usr/${private}/libreel_layer.so\"" text "${text}")
      file(WRITE ${usr}/${manifest} "${text}")
    endforeach()
  endif()
  file(GLOB links ${usr}/lib/libreel.so*)
  foreach(link IN LISTS links)
    file(COPY ${link} DESTINATION ${usr}/${multiarch})
    file(REMOVE ${link})
  endforeach()
  if(IS_DIRECTORY ${usr}/lib/cmake)
    file(RENAME ${usr}/lib/cmake ${usr}/${multiarch}/cmake)
    # One folder deeper, and the library is elsewhere.
    replace_in(${usr}/${multiarch}/cmake/reel/reelConfig.cmake "/../../../\"" "/../../../../\"")
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    replace_in(${usr}/${multiarch}/cmake/reel/reel-targets.cmake "${up}if(" "${up}${up}if(")
    file(GLOB configurations ${usr}/${multiarch}/cmake/reel/reel-targets-*.cmake)
    foreach(file IN LISTS configurations)
      replace_in(${file} "/lib/libreel" "/${multiarch}/libreel")
    endforeach()
  endif()
  find_binaries(${usr} binaries)
  foreach(file IN LISTS binaries)
    run(patchelf --remove-rpath ${file})
  endforeach()
  file(GLOB_RECURSE pages ${usr}/share/man/*)
  foreach(page IN LISTS pages)
    run(gzip -9nf ${page})
  endforeach()
  set(doc ${usr}/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  # Debian has the text of the licence once, for all.
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Reel

Files: *
Copyright: 2026 The Reel authors
License: Apache-2.0
 Licensed under the Apache License, Version 2.0. You may not use these files
 except in compliance with the License.
 .
 On Debian systems, the text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0. Licences of code of others that is
 compiled in are in /usr/share/doc/libreel0/third-party-notices.txt.gz.
")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, where that is set
  file(WRITE ${doc}/changelog "reel (${CPACK_PACKAGE_VERSION}) bookworm; urgency=medium

  * CHANGELOG.md of the source says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  run(gzip -9nf ${doc}/changelog)
  if(component STREQUAL "library")
    file(RENAME ${usr}/share/doc/reel/third-party-notices.txt ${doc}/third-party-notices.txt)
    run(gzip -9nf ${doc}/third-party-notices.txt)
    file(REMOVE_RECURSE ${usr}/share/doc/reel)
    file(WRITE ${usr}/share/lintian/overrides/${package} "# CPack adds the call beside the trigger.
${package}: maintscript-calls-ldconfig [postinst]
${package}: maintscript-calls-ldconfig [postrm]
")
  endif()
endfunction()

function(stage_tree)
  set(tree ${top})
  set(lib ${tree}/${CPACK_REEL_LIBDIR})
  find_binaries(${tree} binaries)
  foreach(file IN LISTS binaries)
    execute_process(COMMAND ldd ${file} OUTPUT_VARIABLE needed OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCHALL "=> /[^ ]+" needed "${needed}")
    foreach(library IN LISTS needed)
      string(SUBSTRING ${library} 3 -1 library)
      get_filename_component(name ${library} NAME)
      # What every system has, and must be the system's own.
      if(NOT name MATCHES "^(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\\+\\+|libreel)\\.so" AND NOT EXISTS ${lib}/${name})
        file(COPY ${library} DESTINATION ${lib} FOLLOW_SYMLINK_CHAIN)
      endif()
    endforeach()
  endforeach()
  # RPATH, not RUNPATH: it counts for the libraries of libraries, too.
  find_binaries(${tree} binaries)
  foreach(file IN LISTS binaries)
    get_filename_component(folder ${file} DIRECTORY)
    file(RELATIVE_PATH path ${folder} ${lib})
    run(patchelf --force-rpath --set-rpath "$ORIGIN/${path}" ${file})
  endforeach()
endfunction()

if(CPACK_GENERATOR STREQUAL "DEB")
  stage_debian(library libreel0)
  stage_debian(development libreel-dev)
  stage_debian(program reel)
  if(IS_DIRECTORY ${top}/python)
    stage_debian(python python3-reel)
  endif()
else()
  stage_tree()
endif()
run(find ${top} -type d -exec chmod 755 {} +)
run(find ${top} -type f -not -path "*/bin/*" -exec chmod 644 {} +)
run(find ${top} -exec touch -hd @${epoch} {} +)
