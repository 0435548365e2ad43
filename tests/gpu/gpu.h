// SPDX-License-Identifier: Apache-2.0
// What tests on a real GPU share: its backend, or the reason why there is none, and tensors that travel there and back.
#pragma once

#include <memory>
#include <string>

#include "engine/cuda/backend.h"
#include "engine/cuda/probe.h"
#include "tests/support/op_examples.h"

namespace test {

/// The first GPU; null, with `why`, where there is none.
inline std::unique_ptr<engine::Backend> make_gpu(std::string& why, engine::ModuleBackendOptions options = {}) {
  const engine::ModuleProbe probe = engine::cuda::probe();
  why = probe.why;
  if (probe.state != engine::DriverState::ready) return nullptr;
  auto backend = engine::cuda::make_backend(options);
  if (!backend) {
    why = backend.error().message;
    return nullptr;
  }
  return std::move(*backend);
}

/// A tensor on the GPU with exactly this type; gaps between elements are part of it.
inline engine::Result<engine::Tensor> tensor_there(engine::Backend& backend, const engine::TensorType& type) {
  int64_t below = 0;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.strides[i] < 0 && type.elements() > 0) below -= (type.shape[i] - 1) * type.strides[i];
  }
  auto storage = backend.allocate(std::max<int64_t>(type.span_bytes(), 1));
  if (!storage) return storage.error();
  return engine::Tensor(*storage, type, below);
}

inline engine::Result<engine::Tensor> sent(engine::Backend& backend, const engine::Tensor& host) {
  auto there = tensor_there(backend, host.type());
  if (!there) return there;
  if (auto copied = backend.copy(host, *there); !copied) return copied.error();
  return there;
}

inline engine::Result<engine::Tensor> fetched(engine::Backend& backend, const engine::Tensor& there) {
  const engine::Tensor host = make_tensor(there.type());
  if (auto copied = backend.copy(there, host); !copied) return copied.error();
  return host;
}

}  // namespace test
