#pragma once
#include <stdint.h>
#define pthread_setname_np pthread_setname_of_linux
#include_next <pthread.h>
#undef pthread_setname_np
extern "C" {
int pthread_setname_np(const char* name);
int pthread_threadid_np(pthread_t thread, uint64_t* number);
int pthread_main_np(void);
}
