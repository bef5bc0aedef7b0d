// images.h - making images, and a digest of what one holds.
#ifndef REEL_TESTS_LAYER_IMAGES_H
#define REEL_TESTS_LAYER_IMAGES_H

#include "machine.h"

static inline cl_mem make_image(const Machine* machine, cl_mem_flags flags, cl_image_format format,
                                cl_image_desc shape, void* host) {
  cl_int status;
  cl_mem image = clCreateImage(machine->context, flags, &format, &shape, host, &status);
  CHECK(status);
  return image;
}

// The whole of an image, dense. Sizes as clEnqueueReadImage wants them: unused dimensions are 1.
static inline void digest_image(const Machine* machine, const char* label, cl_mem image,
                                const size_t extent[3]) {
  size_t element = 0;
  CHECK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
  const size_t origin[3] = {0, 0, 0}, size = extent[0] * extent[1] * extent[2] * element;
  void* bytes = malloc(size);
  CHECK(clEnqueueReadImage(machine->queue, image, CL_TRUE, origin, extent, 0, 0, bytes, 0, NULL,
                           NULL));
  digest(label, bytes, size);
  free(bytes);
}

static inline void write_image(const Machine* machine, cl_mem image, const size_t extent[3],
                               uint32_t seed) {
  size_t element = 0;
  CHECK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
  const size_t origin[3] = {0, 0, 0}, size = extent[0] * extent[1] * extent[2] * element;
  void* bytes = malloc(size);
  fill_scrambled(bytes, size, seed);
  CHECK(clEnqueueWriteImage(machine->queue, image, CL_TRUE, origin, extent, 0, 0, bytes, 0, NULL,
                            NULL));
  free(bytes);
}

#endif
