// layer_double.c - stands in for Reel's OpenCL layer: remembers what it was asked, in words.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char said[4096];
static int capturing = 0;

static void say(const char* what, const char* value) {
  const size_t at = strlen(said);
  snprintf(said + at, sizeof said - at, "%s %s\n", what, value ? value : "-");
}

static int start(const char* path) {
  if (capturing) return 1;
  const char* contents = getenv("REEL_CAPTURE_CONTENTS");
  const char* limit = getenv("REEL_CAPTURE_LIMIT");
  const char* overwrite = getenv("REEL_CAPTURE_OVERWRITE");
  say("start", path);
  say("contents", contents);
  say("limit", limit);
  say("overwrite", overwrite);
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

static const struct {
  uint32_t version, size_bytes;
  int (*start)(const char*);
  int (*stop)(void);
  int (*trigger)(void);
  int (*is_capturing)(void);
  void (*push_scope)(const char*);
  void (*pop_scope)(void);
  void (*label)(const void*, const char*);
  int (*set_path)(const char*);
  const char* (*last_error)(void);
} api = {1, sizeof api, start, stop, trigger, is_capturing, push_scope, pop_scope, label, set_path, last_error};

const void* reel_app_get(uint32_t version);
const void* reel_app_get(uint32_t version) { return version == 1 ? &api : NULL; }

const char* what_was_said(void);
const char* what_was_said(void) { return said; }
