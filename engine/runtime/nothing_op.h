// SPDX-License-Identifier: Apache-2.0
// What a backend makes of an op whose results have no elements: boxes of which none was found, a token's empty cache.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "engine/runtime/backend.h"

namespace engine {

inline bool has_no_elements(const TensorType& type) { return type.elements() == 0; }
inline bool any_empty(std::span<const TensorType> types) { return std::ranges::any_of(types, has_no_elements); }

class NothingOp final : public PreparedOp {
 public:
  void run() override {}
  KernelFacts facts() const override { return {.name = "nothing"}; }
};

/// Null where a result has elements, or where there are none.
inline std::unique_ptr<PreparedOp> nothing_op(std::span<const TensorType> results) {
  const bool empty = !results.empty() && std::ranges::all_of(results, has_no_elements);
  return empty ? std::make_unique<NothingOp>() : nullptr;
}

}  // namespace engine
