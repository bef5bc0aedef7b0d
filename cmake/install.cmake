# install.cmake - `cmake --install build/release --prefix P`, then find_package(reel) with P in
# CMAKE_PREFIX_PATH. The library links its own needs privately, so a consumer needs none of them.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/reel)

install(TARGETS reel EXPORT reel-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                NAMELINK_COMPONENT development
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# For programs in any language, linked with nothing of ours.
install(FILES ${PROJECT_SOURCE_DIR}/include/reel_app.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# An installed tree may be moved as a whole: the program finds the library beside itself.
file(RELATIVE_PATH lib_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(reel_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
install(TARGETS reel_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

install(EXPORT reel-targets NAMESPACE reel:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/reelConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/reelConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/reelConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/reelConfig.cmake ${PROJECT_BINARY_DIR}/reelConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

# The licence, and those of what is compiled in.
set(notices ${PROJECT_BINARY_DIR}/third-party-notices.txt)
add_custom_command(
  OUTPUT ${notices}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${notices} -DNODE_MODULES=${PROJECT_BINARY_DIR}/viewer/work/node_modules -P
          ${CMAKE_CURRENT_LIST_DIR}/package/notices.cmake
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/package/notices.cmake $<$<TARGET_EXISTS:reel_page>:reel_page>
  VERBATIM)
add_custom_target(reel_notices ALL DEPENDS ${notices})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${notices} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/reel COMPONENT library)
