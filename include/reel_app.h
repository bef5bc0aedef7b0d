/* reel_app.h - start and stop captures from inside a program, in C or anything that can call it.
 *
 * One header, nothing to link: the functions are looked up in the running process. They are there
 * when Reel's OpenCL layer was loaded (`reel capture -- program`, or OPENCL_LAYERS) or when the
 * program uses libreel; otherwise every call below does nothing.
 *
 *   reel_app_start("step.reel");
 *   ... whatever any thread gives to the device ...
 *   reel_app_stop();
 *
 * The layer comes with the first OpenCL call of the process, not before. Any thread may call any of
 * these. Nothing is thrown and nothing ends the program.
 */
#ifndef REEL_APP_H
#define REEL_APP_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REEL_APP_VERSION 1

#define REEL_APP_DONE 0
#define REEL_APP_REFUSED (-1) /* last_error() says why */
#define REEL_APP_ABSENT 1     /* Reel is not in this process; nothing was done */

/* The functions of Reel that this process has, whoever brought it. */
typedef struct reel_app_api {
  uint32_t version;    /* 1 */
  uint32_t size_bytes; /* of this struct, as Reel knows it; a later one may be longer */

  /* Begins a capture. In the path %p becomes the process, %n the number of the capture, %r the
   * rank, %h the host, %j the job. NULL: to where set_path() or the environment said. Refused while
   * one is under way. */
  int (*start)(const char* path);
  /* Ends what start() began: waits for its work, and closes the document. Refused where somebody
   * else began it: whoever runs the program under `reel capture` gets what they asked for. */
  int (*stop)(void);
  /* Stops when one is under way, starts when none is: what `reel trigger` does from outside. */
  int (*trigger)(void);
  int (*is_capturing)(void); /* 1 or 0 */

  /* What the calling thread does from here on is part of `name`, within what it was part of. */
  void (*push_scope)(const char* name);
  void (*pop_scope)(void);
  /* A name for a cl_mem, cl_kernel, cl_command_queue, ... (libreel's objects have theirs from the
   * beginning, so there it does nothing.) */
  void (*label)(const void* object, const char* name);

  int (*set_path)(const char* path);
  /* Why the calling thread's last call was refused; empty when it was not. Until its next call. */
  const char* (*last_error)(void);

  /* Only where size_bytes reaches this far. A call of another library, as MPI, from begin_ns to
   * end_ns on CLOCK_MONOTONIC: `peer` is the rank it has to do with (-1: none), `bytes` what this
   * process gives and takes by it. `name` must stay as it is until the process ends. */
  void (*call)(const char* name, uint64_t begin_ns, uint64_t end_ns, int peer, uint64_t bytes);
} reel_app_api;

/* What the layer and libreel export; NULL for a version they don't know. */
typedef const reel_app_api* (*reel_app_get_function)(uint32_t version);

#if defined(__GNUC__)
#define REEL_APP_INLINE static __inline__ __attribute__((unused))
#else
#define REEL_APP_INLINE static inline
#endif

/* The table of one library; NULL where it has none. */
REEL_APP_INLINE const reel_app_api* reel_app_of_library(void* library) {
  void* symbol = dlsym(library, "reel_app_get");
  reel_app_get_function get;
  if (!symbol) return NULL;
  memcpy(&get, &symbol, sizeof get); /* C has no cast from an object's to a function's pointer */
  return get(REEL_APP_VERSION);
}

/* Only a library that is in the process already: this never loads one. */
REEL_APP_INLINE const reel_app_api* reel_app_of_loaded(const char* path) {
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  const reel_app_api* api;
  if (!library) return NULL;
  api = reel_app_of_library(library);
  if (!api) dlclose(library); /* kept otherwise: the functions stay valid */
  return api;
}

/* OpenCL's loader keeps the symbols of layers to itself, so they are asked for one by one. */
REEL_APP_INLINE const reel_app_api* reel_app_of_layers(void) {
  const char* rest = getenv("OPENCL_LAYERS");
  const reel_app_api* api = NULL;
  while (rest && *rest && !api) {
    const char* end = strchr(rest, ':');
    const size_t length = end ? (size_t)(end - rest) : strlen(rest);
    char* path = (char*)malloc(length + 1);
    if (!path) return NULL;
    memcpy(path, rest, length);
    path[length] = '\0';
    if (length > 0) api = reel_app_of_loaded(path);
    free(path);
    rest = end ? end + 1 : NULL;
  }
  return api ? api : reel_app_of_loaded("libreel_layer.so");
}

/* NULL while Reel is not in the process; asks again each time, since it may come later. */
REEL_APP_INLINE const reel_app_api* reel_app(void) {
  static const reel_app_api* found = NULL;
  if (!found) {
    void* program = dlopen(NULL, RTLD_LAZY); /* all that was loaded for everybody */
    const reel_app_api* api = reel_app_of_layers();
    if (!api && program) api = reel_app_of_library(program);
    if (program) dlclose(program);
    found = api;
  }
  return found;
}

/* The same functions, for calling straight away. */

/* As the table has it; REEL_APP_ABSENT where Reel is not here. */
REEL_APP_INLINE int reel_app_start(const char* path) {
  const reel_app_api* api = reel_app();
  return api ? api->start(path) : REEL_APP_ABSENT;
}
/* As the table has it; REEL_APP_ABSENT where Reel is not here. */
REEL_APP_INLINE int reel_app_stop(void) {
  const reel_app_api* api = reel_app();
  return api ? api->stop() : REEL_APP_ABSENT;
}
/* As the table has it; REEL_APP_ABSENT where Reel is not here. */
REEL_APP_INLINE int reel_app_trigger(void) {
  const reel_app_api* api = reel_app();
  return api ? api->trigger() : REEL_APP_ABSENT;
}
/* 1 while a capture runs; 0 where Reel is not here, too. */
REEL_APP_INLINE int reel_app_is_capturing(void) {
  const reel_app_api* api = reel_app();
  return api ? api->is_capturing() : 0;
}
/* As the table has it; nothing where Reel is not here. */
REEL_APP_INLINE void reel_app_push_scope(const char* name) {
  const reel_app_api* api = reel_app();
  if (api) api->push_scope(name);
}
/* As the table has it; nothing where Reel is not here. */
REEL_APP_INLINE void reel_app_pop_scope(void) {
  const reel_app_api* api = reel_app();
  if (api) api->pop_scope();
}
/* As the table has it; nothing where Reel is not here. */
REEL_APP_INLINE void reel_app_label(const void* object, const char* name) {
  const reel_app_api* api = reel_app();
  if (api) api->label(object, name);
}
/* As the table has it; REEL_APP_ABSENT where Reel is not here. */
REEL_APP_INLINE int reel_app_set_path(const char* path) {
  const reel_app_api* api = reel_app();
  return api ? api->set_path(path) : REEL_APP_ABSENT;
}
/* As the table has it. */
REEL_APP_INLINE const char* reel_app_last_error(void) {
  const reel_app_api* api = reel_app();
  return api ? api->last_error() : "";
}

#ifdef __cplusplus
}
#endif

#endif
