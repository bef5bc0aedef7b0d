#include_next <stdio.h>
#ifndef RENAME_EXCL
#define RENAME_EXCL 4
extern "C" int renamex_np(const char* from, const char* to, unsigned flags);
#endif
