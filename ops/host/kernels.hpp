// kernels.hpp - the ops as functions of one work-group of the host device.
//
// Each computes what the kernel of the same name in ../kernels does, sum by sum in the same order.
#pragma once

#include <cstdint>

#include "reel/host_kernel.hpp"

namespace reel::ops::host {

void embedding(const HostGroup& group, const float* table, const std::uint32_t* tokens, float* y,
               std::uint32_t size, std::uint32_t vocabulary, std::uint32_t position);
void rms_norm(const HostGroup& group, const float* x, const float* weight, float* y,
              std::uint32_t size, float epsilon);
void matmul_f32(const HostGroup& group, const float* weights, const float* x, float* y,
                std::uint32_t rows, std::uint32_t columns);
void matmul_q8(const HostGroup& group, const std::int8_t* weights, const float* scales,
               const float* x, float* y, std::uint32_t rows, std::uint32_t columns);
// Those for several vectors: a group has tile_vectors of them.
void matmul_f32_tile(const HostGroup& group, const float* weights, const float* x, float* y,
                     std::uint32_t rows, std::uint32_t columns, std::uint32_t vectors);
void matmul_q8_tile(const HostGroup& group, const std::int8_t* weights, const float* scales,
                    const float* x, float* y, std::uint32_t rows, std::uint32_t columns,
                    std::uint32_t vectors);
void rope(const HostGroup& group, float* x, const float* table, std::uint32_t pairs,
          std::uint32_t head_pairs, std::uint32_t position);
void kv_append(const HostGroup& group, const float* key, const float* value, float* keys,
               float* values, std::uint32_t size, std::uint32_t slot_floats, std::uint32_t slot);
void attention(const HostGroup& group, const float* query, const float* keys, const float* values,
               float* y, std::uint32_t heads, std::uint32_t heads_per_key, std::uint32_t head_size,
               std::uint32_t slot_floats, std::uint32_t position, float scale);
void swiglu(const HostGroup& group, const float* gate, const float* up, float* y,
            std::uint32_t size);
void residual_add(const HostGroup& group, float* x, const float* y, std::uint32_t size);
void argmax(const HostGroup& group, const float* x, std::uint32_t* tokens, std::uint32_t size,
            std::uint32_t position);

}  // namespace reel::ops::host
