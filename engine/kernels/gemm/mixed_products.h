// SPDX-License-Identifier: Apache-2.0
// Rows of f32 times a matrix of weights of 32, 16, 8 or 4 bits. Few rows (decode) meet the weights as they stream by;
// many (prefill) meet panels of them: of bytes where the processor multiplies those, else widened to f32, by our own
// products.
#pragma once

#include <optional>
#include <string>

#include "engine/kernels/gemm/mixed_linear_simd.h"
#include "engine/tensor/product_format.h"
#include "engine/tensor/quantization.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// Rows of weights that a thread takes at least.
inline constexpr int64_t kFewestPanelRows = 16;

/// Nothing: no weights for these products.
std::optional<MixedFormat> mixed_format(DType weights);

/// Products with matrices of one format and row length, of any number of rows.
class MixedProducts {
 public:
  /// `k`: numbers in a row; `blocks`: weights are i8 or u8 in blocks of 32, whose scales are f16.
  MixedProducts(MixedFormat, int64_t k, bool blocks);

  /// Rows of x as products need them; those of weights that are in no blocks are x's.
  struct Rows {
    const float* x = nullptr;
    std::byte* room = nullptr;
    int64_t all = 0;  ///< rows that `room` was made for
  };
  /// Bytes of the room for so many rows.
  int64_t room_bytes(int64_t rows) const;
  /// Makes blocks [begin, end) of x ready, counted over all its rows, for products of `m` rows at once.
  void round(const Rows&, int64_t m, int64_t begin, int64_t end) const;

  /// Scratch bytes of a thread in products of `m` rows, and of up to `m`.
  int64_t scratch_bytes(int64_t m) const;
  /// y[i * y_row + n] = x row first + i times weights row n: of `count` rows that round() made ready as such.
  void multiply(const Rows&, int64_t first, int64_t count, const MixedWeights&, float* y, int64_t y_row,
                std::byte* scratch) const;
  /// Of a row of weights; each block has a scale.
  int64_t weight_row_bytes() const;
  int64_t blocks_in_row() const { return blocks_ ? k_ / kBlock : 0; }

  /// "own gemv of bf16 (AVX-512)", for `m` rows.
  std::string kernel_name(int64_t m) const;
  ProductFormat product_format(int64_t m) const;
  static bool streams(int64_t m);

 private:
  bool packs(int64_t m) const;
  bool widens(int64_t m) const;
  int64_t panel_rows(int64_t m) const;
  MixedRows rows_of(const Rows&, int64_t first, int64_t count) const;

  MixedFormat format_;
  int64_t k_;
  bool blocks_;
  MixedLoops loops_;
};

}  // namespace engine::cpu
