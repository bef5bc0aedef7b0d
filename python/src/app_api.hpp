// app_api.hpp - the in-application API of Reel's OpenCL layer, as include/reel_app.h declares it.
#pragma once

#include <cstdint>

extern "C" {

typedef struct reel_app_api {
  uint32_t version;  // 1
  uint32_t size_bytes;
  int (*start)(const char* path);  // NULL: as set
  int (*stop)(void);
  int (*trigger)(void);
  int (*is_capturing)(void);
  void (*push_scope)(const char* name);
  void (*pop_scope)(void);
  void (*label)(const void* object, const char* name);
  int (*set_path)(const char* path);
  const char* (*last_error)(void);
} reel_app_api;

typedef const reel_app_api* (*reel_app_get_function)(uint32_t version);
}
