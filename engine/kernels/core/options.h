// SPDX-License-Identifier: Apache-2.0
// What a CPU backend is made with.
#pragma once

#include <vector>

#include "engine/kernels/core/matmul_timing.h"
#include "engine/kernels/core/winograd_timing.h"

namespace engine::cpu {

struct BackendOptions {
  /// Worker count, fixed for the backend's life; 0 = all physical cores this process may use.
  int threads = 0;
  /// What measure_matmul() found on this machine; empty: a rule chooses the library of each matrix product.
  std::vector<MatmulTiming> matmul_timings = {};
  /// Whether 3x3 convolutions of stride 1 in f32, and their gradients, are computed by Winograd's minimal
  /// filtering: a quarter of the multiplications where tiles fill the images, for transforms, four times the weights
  /// and some ten times the rounding error. PreparedOp::spared_flops() says how much. What is not finite reaches all
  /// results of the tiles that read it.
  WinogradUse winograd = WinogradUse::fastest;
  /// What measure_winograd() found on this machine.
  std::vector<WinogradTiming> winograd_timings = {};
  /// Off: this library's kernels are left out, and our own compute what they would have. OpenBLAS stays for LAPACK,
  /// which has no other.
  bool onednn = true, openblas = true;
};

/// Whether this build has oneDNN.
bool has_onednn();

}  // namespace engine::cpu
