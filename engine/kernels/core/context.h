// SPDX-License-Identifier: Apache-2.0
// Context: what all CPU kernels of one backend share: its options, with what was measured of the libraries, and which
// of these they may call.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/kernels/core/memory_room.h"
#include "engine/kernels/core/options.h"

namespace engine::cpu {

struct DnnlRuntime;  // dnnl_support.h
/// oneDNN's engine and stream; null in a build without oneDNN. May throw dnnl::error.
std::shared_ptr<DnnlRuntime> make_dnnl_runtime();

struct Context {
  /// `given`: with the number of threads decided.
  explicit Context(const BackendOptions& given)
      : Context(given, given.threads, given.onednn ? make_dnnl_runtime() : nullptr) {
    if (threads > 1) {
      alone = std::unique_ptr<Context>(new Context(given, 1, dnnl));
      alone->kept_bytes = kept_bytes;
    }
  }

  BackendOptions options;
  int threads;
  bool openblas;                      ///< its matrix products are asked: wanted, and there is room for its buffers
  std::shared_ptr<DnnlRuntime> dnnl;  ///< null: no kernel of oneDNN is asked
  /// Of copies of constant operands that stay between steps, by all kernels.
  std::shared_ptr<std::atomic<int64_t>> kept_bytes = std::make_shared<std::atomic<int64_t>>(0);
  std::unique_ptr<Context> alone;  ///< the same on one thread, for ops that are not worth a team; null: this one is

 private:
  Context(const BackendOptions& given, int on, std::shared_ptr<DnnlRuntime> runtime)
      : options(given), threads(on), openblas(given.openblas && openblas_has_room(on)), dnnl(std::move(runtime)) {
    options.threads = on;
  }
};

}  // namespace engine::cpu
