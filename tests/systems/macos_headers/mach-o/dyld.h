#pragma once
#include <stdint.h>
extern "C" {
int _NSGetExecutablePath(char* buffer, uint32_t* size);
uint32_t _dyld_image_count(void);
const char* _dyld_get_image_name(uint32_t index);
}
