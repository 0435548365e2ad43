// SPDX-License-Identifier: Apache-2.0
// How fast each library computed a matrix product on this machine: plain data, for those who measure, choose, store and
// show.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/tensor/dtype.h"

namespace engine {

enum class MatmulLibrary : uint8_t { onednn, openblas, own };
inline constexpr int kMatmulLibraries = 3;
inline constexpr std::array<MatmulLibrary, kMatmulLibraries> kMatmulLibraryList{
    MatmulLibrary::onednn, MatmulLibrary::openblas, MatmulLibrary::own};
/// "oneDNN" "OpenBLAS" "own"
std::string_view name(MatmulLibrary);

/// Nanoseconds of one product by each library, the shortest of some runs; NaN where it has no kernel for it.
struct MatmulTiming {
  DType dtype = DType::float32;
  int64_t m = 0, n = 0, k = 0;
  int threads = 1;
  double onednn_ns = 0, openblas_ns = 0, own_ns = 0;

  double ns(MatmulLibrary) const;
  MatmulLibrary fastest() const;
};

}  // namespace engine
