#pragma once
#include_next <sys/socket.h>
constexpr int SO_NOSIGPIPE = 0x1022;
