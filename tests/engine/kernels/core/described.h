// SPDX-License-Identifier: Apache-2.0
// Holds what kernels did to memory against what is said of an op.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/silent_sink_access.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace test {

/// Between -2 and 2, in an order of their own.
inline std::vector<float> numbers(int64_t count, int64_t step) {
  std::vector<float> x(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int64_t>(i) * step % 31) / 8 - 2;
  return x;
}

template <class T>
engine::access::Operand operand(const std::vector<T>& x, const engine::TensorType& type) {
  return {type, reinterpret_cast<uint64_t>(x.data()), 0};
}
inline engine::access::Operand operand(const std::vector<float>& x, engine::Shape shape) {
  return operand(x, engine::TensorType::contiguous(engine::DType::float32, std::move(shape)));
}

/// Holds what was noted against the description of `op`.
inline void expect_described(const NotedKernels& own, const std::string& op,
                             std::vector<engine::access::Operand> inputs, std::vector<engine::access::Operand> outputs,
                             const void* workspace = nullptr, engine::Attributes attributes = {},
                             engine::access::Fidelity as = engine::access::Fidelity::loops) {
  engine::Node node;
  node.op = engine::find_op(op);
  node.attributes = std::move(attributes);
  Said said;
  EXPECT_EQ(engine::access::describe({.node = node,
                                      .inputs = std::move(inputs),
                                      .outputs = std::move(outputs),
                                      .workspace_address = reinterpret_cast<uint64_t>(workspace),
                                      .vector_bytes = static_cast<int>(own.vector_bytes)},
                                     said),
            as)
      << op;
  expect_same(said.accesses, noted());
}

/// How `op` is described with operands of these types; of what is said nothing is kept.
inline engine::access::Fidelity fidelity(const char* op, const std::vector<engine::TensorType>& inputs,
                                         const std::vector<engine::TensorType>& outputs,
                                         engine::Attributes attributes = {}) {
  engine::SilentSink nobody;
  engine::Node node;
  node.op = engine::find_op(op);
  node.attributes = std::move(attributes);
  engine::access::OpCall call{.node = node, .inputs = {}, .outputs = {}};
  for (const engine::TensorType& type : inputs) call.inputs.push_back({type});
  for (const engine::TensorType& type : outputs) call.outputs.push_back({type});
  return engine::access::describe(call, nobody);
}

}  // namespace test
