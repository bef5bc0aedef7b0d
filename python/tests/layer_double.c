// layer_double.c - stands in for Reel's OpenCL layer: remembers what it was asked, in words.
#include <CL/cl_layer.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reel_app.h"

static char said[4096];
static int capturing = 0;

static void say(const char* what, const char* value) {
  const size_t at = strlen(said);
  snprintf(said + at, sizeof said - at, "%s %s\n", what, value ? value : "-");
}

static int start(const char* path) {
  if (capturing) return 1;
  say("start", path);
  say("contents", getenv("REEL_CAPTURE_CONTENTS"));
  say("limit", getenv("REEL_CAPTURE_LIMIT"));
  capturing = 1;
  return 0;
}
static int stop(void) {
  if (!capturing) return 1;
  say("stop", NULL);
  capturing = 0;
  return 0;
}
static int trigger(void) {
  say("trigger", NULL);
  return 0;
}
static int is_capturing(void) { return capturing; }
static void push_scope(const char* name) { say("push", name); }
static void pop_scope(void) { say("pop", NULL); }
static void label(const void* object, const char* name) {
  char text[64];
  snprintf(text, sizeof text, "%llx %s", (unsigned long long)(uintptr_t)object, name);
  say("label", text);
}
static int set_path(const char* path) {
  say("path", path);
  return 0;
}
static const char* last_error(void) { return "The double was asked at the wrong time."; }

static const reel_app_api api = {1,          sizeof(reel_app_api),
                                 start,      stop,
                                 trigger,    is_capturing,
                                 push_scope, pop_scope,
                                 label,      set_path,
                                 last_error, NULL};

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const reel_app_api* reel_app_get(uint32_t version);
EXPORTED const reel_app_api* reel_app_get(uint32_t version) { return version == 1 ? &api : NULL; }

EXPORTED const char* what_was_said(void);
EXPORTED const char* what_was_said(void) { return said; }

// A layer that changes nothing, for OpenCL's loader to load.
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                                        void* value, size_t* size_ret) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (value && size >= sizeof version) memcpy(value, &version, sizeof version);
  if (size_ret) *size_ret = sizeof version;
  return CL_SUCCESS;
}
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries,
                                                     const struct _cl_icd_dispatch* target,
                                                     cl_uint* entries_ret,
                                                     const struct _cl_icd_dispatch** dispatch_ret) {
  *entries_ret = entries;
  *dispatch_ret = target;
  return CL_SUCCESS;
}
