// SPDX-License-Identifier: Apache-2.0
// Names of the libraries and the fastest of a measured shape.
#include "engine/kernels/core/matmul_timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace engine {
namespace {

/// Slower than anything measured where unknown.
double or_never(double ns) { return std::isnan(ns) ? std::numeric_limits<double>::infinity() : ns; }

}  // namespace

std::string_view name(MatmulLibrary library) {
  switch (library) {
    case MatmulLibrary::onednn: return "oneDNN";
    case MatmulLibrary::openblas: return "OpenBLAS";
    default: return "own";
  }
}

double MatmulTiming::ns(MatmulLibrary library) const {
  switch (library) {
    case MatmulLibrary::onednn: return onednn_ns;
    case MatmulLibrary::openblas: return openblas_ns;
    default: return own_ns;
  }
}

MatmulLibrary MatmulTiming::fastest() const {
  return *std::ranges::min_element(kMatmulLibraryList, {}, [this](MatmulLibrary l) { return or_never(ns(l)); });
}

}  // namespace engine
