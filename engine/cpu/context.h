// SPDX-License-Identifier: Apache-2.0
// Context: what all CPU kernels of one backend share: the thread count and oneDNN's engine and
// stream.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace engine::cpu {

struct Context {
  explicit Context(int worker_threads) : threads(worker_threads) {}

  int threads;
  dnnl::engine dnnl_engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream dnnl_stream{dnnl_engine};
};

}  // namespace engine::cpu
