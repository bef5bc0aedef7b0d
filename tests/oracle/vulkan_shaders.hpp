// vulkan_shaders.hpp - the kernels of random Vulkan programs: their words, made when they are
// built, and what is bound to 0, 1, 2 ... of each: s a storage buffer, u a uniform one,
// i a storage image, t texels of a buffer that are read, w such that are written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "add.h"
#include "add_at.h"
#include "advance.h"
#include "advance_at.h"
#include "casts.h"
#include "count.h"
#include "flatten.h"
#include "groups.h"
#include "pixels.h"
#include "rotate_by.h"
#include "scale.h"
#include "scale_at.h"
#include "scale_by.h"
#include "slow.h"
#include "some.h"
#include "texels.h"
#include "weigh.h"

namespace oracle {

struct OracleShader {
  const char* name;  // its entry, too
  const std::uint32_t* words;
  std::size_t bytes;
  const char* bindings;
};

inline constexpr OracleShader oracle_shaders[] = {
    {"scale", shader_scale, sizeof shader_scale, "ss"},
    {"advance", shader_advance, sizeof shader_advance, "s"},
    {"add", shader_add, sizeof shader_add, "sss"},
    {"slow", shader_slow, sizeof shader_slow, "s"},
    {"rotate_by", shader_rotate_by, sizeof shader_rotate_by, "ss"},
    {"some", shader_some, sizeof shader_some, "s"},
    {"count", shader_count, sizeof shader_count, "ss"},
    {"casts", shader_casts, sizeof shader_casts, "ss"},
    {"groups", shader_groups, sizeof shader_groups, "s"},
    {"pixels", shader_pixels, sizeof shader_pixels, "ii"},
    {"flatten", shader_flatten, sizeof shader_flatten, "is"},
    {"texels", shader_texels, sizeof shader_texels, "tw"},
    {"weigh", shader_weigh, sizeof shader_weigh, "sus"},
    // Buffers that they find by addresses: in the push constants, or in a table that is bound.
    {"scale_at", shader_scale_at, sizeof shader_scale_at, ""},
    {"advance_at", shader_advance_at, sizeof shader_advance_at, ""},
    {"add_at", shader_add_at, sizeof shader_add_at, ""},
    {"scale_by", shader_scale_by, sizeof shader_scale_by, "s"},
};

}  // namespace oracle
