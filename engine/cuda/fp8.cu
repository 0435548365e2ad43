// SPDX-License-Identifier: Apache-2.0
// Rounding to 8 bits: the largest magnitude of a tensor without atomics, then a thread per sixteen codes.
#include "engine/cuda/fp8.h"

#include <cuda_fp8.h>

#include <cfloat>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

/// NaN counts for nothing: it becomes a NaN of its own.
struct LargerMagnitude {
  __host__ __device__ float operator()(float a, float b) const { return b > a ? b : a; }
};

/// A team per part.
struct LargestOfPart {
  Fp8Operand o;
  int64_t parts;
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t part) const {
    const int64_t length = (o.all.count + parts - 1) / parts, begin = part * length;
    const int64_t end = begin + length < o.all.count ? begin + length : o.all.count;
    float largest = 0;
    for (int64_t i = begin + team.rank; i < end; i += team.size) {
      int64_t at[1];
      offsets_at(o.all, i, at);
      const float value = load<float>(o.x.dtype, o.x.bytes, at[0]);
      largest = LargerMagnitude{}(largest, value < 0 ? -value : value);
    }
    largest = team.reduce(largest, LargerMagnitude{});
    if (team.rank == 0) o.parts[part] = largest;
  }
};

struct ScaleOfParts {
  Fp8Operand o;
  int64_t parts;
  __host__ __device__ void operator()(int64_t) const {
    float largest = 0;
    for (int64_t part = 0; part < parts; ++part) largest = LargerMagnitude{}(largest, o.parts[part]);
    const float scale = largest / fp8_largest(o.format);
    *o.scale = scale > FLT_MIN ? scale : FLT_MIN;  // a tensor of zeros, or of numbers too small to divide by
  }
};

/// Neighbouring threads read neighbouring elements of x, whichever axis that is.
struct PieceOfCodes {
  Fp8Operand o;
  bool rows_first;

  __host__ __device__ void operator()(int64_t i) const {
    const int64_t pieces = o.padded_depth / Fp8Operand::kPiece;
    int64_t row = 0, piece = 0, z = 0;
    if (rows_first) {
      row = i % o.rows;
      piece = i / o.rows % pieces;
      z = i / o.rows / pieces;
    } else {
      piece = i % pieces;
      row = i / pieces % o.rows;
      z = i / pieces / o.rows;
    }
    const float scale = *o.scale;
    const int64_t first = piece * Fp8Operand::kPiece, begin = z * o.strides[0] + row * o.strides[1];
    alignas(16) uint8_t codes[Fp8Operand::kPiece] = {};
    for (int64_t n = 0; n < Fp8Operand::kPiece && first + n < o.depth; ++n) {
      const float value = load<float>(o.x.dtype, o.x.bytes, begin + (first + n) * o.strides[2]) / scale;
      codes[n] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, o.format == Fp8Format::e4m3 ? __NV_E4M3 : __NV_E5M2);
    }
    uint4 sixteen;
    memcpy(&sixteen, codes, sizeof sixteen);
    reinterpret_cast<uint4*>(o.codes)[((z * o.rows + row) * o.padded_depth + first) / Fp8Operand::kPiece] = sixteen;
  }
};

}  // namespace

cudaError_t launch(const Launcher& launcher, const Fp8Operand& o) {
  const int64_t parts = o.part_count();
  cudaError_t code = for_each_row(launcher, LargestOfPart{o, parts}, parts, (o.all.count + parts - 1) / parts);
  if (code == cudaSuccess) code = for_each_element(launcher, ScaleOfParts{o, parts}, 1, 1);
  if (code != cudaSuccess) return code;
  const bool rows_first = o.strides[2] != 1 && o.strides[1] == 1;
  return for_each_element(launcher, PieceOfCodes{o, rows_first},
                          o.batches * o.rows * (o.padded_depth / Fp8Operand::kPiece), 1);
}

}  // namespace engine::cuda
