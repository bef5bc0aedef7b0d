/* volk_implementation.c - volk's function pointers, compiled once.
 *
 * Compiled with hidden visibility: volk names its pointers like the functions of libvulkan, and a
 * program that links both must get its own. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
