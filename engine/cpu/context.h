// SPDX-License-Identifier: Apache-2.0
// Context: what all CPU kernels of one backend share: the thread count, oneDNN's engine and stream, and
// what was measured of the libraries.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

#include "engine/cpu/matmul_choice.h"

namespace engine::cpu {

struct Context {
  explicit Context(int worker_threads, std::vector<MatmulTiming> timings = {}, bool by_winograd = false)
      : threads(worker_threads), matmul_timings(std::move(timings)), winograd(by_winograd) {}

  int threads;
  std::vector<MatmulTiming> matmul_timings;  ///< empty: a rule decides
  bool winograd;                             ///< see make_backend()
  dnnl::engine dnnl_engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream dnnl_stream{dnnl_engine};
};

}  // namespace engine::cpu
