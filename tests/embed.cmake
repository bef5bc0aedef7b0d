# Writes the words of a SPIR-V file as a C array: cmake -DFROM=x.spv -DTO=x.h -DNAME=x -P embed.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1,\n" words "${bytes}")
file(WRITE ${TO} "static const unsigned ${NAME}[] = {\n${words}};\n")
