#pragma once
extern "C" {
char*** _NSGetArgv(void);
int* _NSGetArgc(void);
char*** _NSGetEnviron(void);
}
