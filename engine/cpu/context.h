// SPDX-License-Identifier: Apache-2.0
// Context: what all CPU kernels of one backend share: the thread count, which libraries they may call, and what was measured of these.
#pragma once

#include <memory>
#include <vector>

#include "engine/cpu/backend.h"

namespace engine::cpu {

struct DnnlRuntime;  // dnnl_support.h
/// oneDNN's engine and stream; null in a build without oneDNN. May throw dnnl::error.
std::shared_ptr<DnnlRuntime> make_dnnl_runtime();

struct Context {
  /// `options`: with the number of threads decided.
  explicit Context(const BackendOptions& options)
      : threads(options.threads),
        matmul_timings(options.matmul_timings),
        winograd(options.winograd),
        openblas(options.openblas),
        dnnl(options.onednn ? make_dnnl_runtime() : nullptr) {}

  int threads;
  std::vector<MatmulTiming> matmul_timings;  ///< empty: a rule decides
  bool winograd;                             ///< see BackendOptions
  bool openblas;                             ///< its matrix products are asked
  std::shared_ptr<DnnlRuntime> dnnl;         ///< null: no kernel of oneDNN is asked
};

}  // namespace engine::cpu
