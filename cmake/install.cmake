install(TARGETS reel EXPORT reel-targets FILE_SET HEADERS)
install(EXPORT reel-targets NAMESPACE reel:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/reel)
