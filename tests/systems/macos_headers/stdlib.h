#include_next <stdlib.h>
#ifndef REEL_MACOS_STDLIB
#define REEL_MACOS_STDLIB
extern "C" const char* getprogname(void);
#endif
