// SPDX-License-Identifier: Apache-2.0
// Context: what all CPU kernels of one backend share: its options, with what was measured of the libraries, and which of these they may call.
#pragma once

#include <memory>
#include <vector>

#include "engine/cpu/backend.h"

namespace engine::cpu {

struct DnnlRuntime;  // dnnl_support.h
/// oneDNN's engine and stream; null in a build without oneDNN. May throw dnnl::error.
std::shared_ptr<DnnlRuntime> make_dnnl_runtime();

struct Context {
  /// `given`: with the number of threads decided.
  explicit Context(const BackendOptions& given) : options(given), threads(given.threads), openblas(given.openblas), dnnl(given.onednn ? make_dnnl_runtime() : nullptr) {}

  BackendOptions options;
  int threads;
  bool openblas;                      ///< its matrix products are asked
  std::shared_ptr<DnnlRuntime> dnnl;  ///< null: no kernel of oneDNN is asked
};

}  // namespace engine::cpu
