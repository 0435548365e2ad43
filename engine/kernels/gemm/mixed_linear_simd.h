// SPDX-License-Identifier: Apache-2.0
// Rows of weights of 32, 16, 8 or 4 bits times rows of numbers, compiled for every vector width (Highway) and chosen at
// run time; with VNNI products of bytes add up in one instruction.
#pragma once

#include <cstddef>
#include <cstdint>

namespace engine::cpu {

/// Rows of x: of f32, and, for weights in blocks, rounded to blocks of 8 bits.
struct MixedRows {
  int64_t count = 0, length = 0;    ///< rows, and numbers in each
  const float* x = nullptr;         ///< rows `length` apart
  const int8_t* rounded = nullptr;  ///< the same
  const float* scales = nullptr;    ///< of blocks: length / 32 per row
  const float* sums = nullptr;      ///< of the rounded numbers of each block
  const int32_t* starts = nullptr;  ///< for MixedLoops::many: of each block MixedLoops::start times that sum
};

/// `rows` rows of weights that lie side by side: bytes of the matrix, scales of its blocks.
struct MixedWeights {
  const void* w = nullptr;
  const uint16_t* scales = nullptr;
  int64_t rows = 0;
};

struct MixedLoops {
  /// y[m * y_row + n] = x_m . w_n
  void (*products)(const MixedRows&, const MixedWeights&, float* y, int64_t y_row) = nullptr;
  /// A row of weights as f32.
  void (*widen)(const MixedWeights&, int64_t length, float* to) = nullptr;
  const char* unit = "";  ///< what of the processor it uses beyond vectors: "VNNI"

  // For many rows of x, where the processor multiplies bytes; null: it does not.
  /// Weights in blocks as groups of kMixedGroup rows, of mixed_group_bytes() each.
  void (*pack)(const MixedWeights&, int64_t length, std::byte* to) = nullptr;
  /// products() of weights so packed.
  void (*many)(const MixedRows&, const std::byte* packed, int64_t rows, float* y, int64_t y_row) = nullptr;
  int32_t start = 0;  ///< what corrects each sum, per unit of x: packed weights are bytes from 0 on
};

/// Rows of packed weights that are multiplied at once.
inline constexpr int64_t kMixedGroup = 16;
/// Of rows of `length` numbers: their bytes, and a scale in f32 for each block.
constexpr int64_t mixed_group_bytes(int64_t length) { return kMixedGroup * (length + length / 32 * 4); }

enum class MixedFormat : uint8_t { bf16, f16, q8, q4, f32 };
MixedLoops mixed_loops(MixedFormat);

}  // namespace engine::cpu
