// SPDX-License-Identifier: Apache-2.0
// Reductions, group norm and pooling of volumes, and convolutions that took a batch norm along: their accesses are described, not
// assumed, read all of what the op needs, write all results, and stay inside the operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/access/describe.h"
#include "engine/graph/builder.h"
#include "engine/ops/fusion.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace engine {
namespace {

/// The bytes touched per tensor.
struct Touched final : AccessSink {
  std::map<uint32_t, std::set<uint64_t>> loaded, stored;
  using AccessSink::group;
  void group(int64_t iterations, std::span<const AccessStream> streams) override {
    for (int64_t i = 0; i < iterations; ++i) {
      for (const AccessStream& s : streams) {
        auto& bytes = (s.kind == AccessKind::load ? loaded : stored)[s.tensor];
        for (uint64_t byte = 0; byte < s.bytes; ++byte) bytes.insert(s.address + static_cast<uint64_t>(i * s.stride) + byte);
      }
    }
  }
};

/// Tensor `number` where no other is; element (0, ..., 0) at its middle, for strides may be negative.
access::Operand placed(const TensorType& type, uint32_t number) { return {.type = type, .address = (uint64_t{number} + 1) << 32, .tensor = number}; }

/// The addresses of its elements' bytes.
std::set<uint64_t> bytes_of(const access::Operand& operand) {
  std::set<uint64_t> bytes;
  const Shape& shape = operand.type.shape;
  for (int64_t i = 0; i < operand.type.elements(); ++i) {
    int64_t rest = i, offset = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += rest % shape[axis] * operand.type.strides[axis];
      rest /= shape[axis];
    }
    const uint64_t at = operand.address + static_cast<uint64_t>(offset * size_bytes(operand.type.dtype));
    for (int64_t byte = 0; byte < size_bytes(operand.type.dtype); ++byte) bytes.insert(at + static_cast<uint64_t>(byte));
  }
  return bytes;
}

bool within(const std::set<uint64_t>& some, const std::set<uint64_t>& all) { return std::ranges::includes(all, some); }

void check(const Node& node, const std::vector<TensorType>& inputs, const std::vector<TensorType>& outputs, const std::string& what) {
  constexpr uint32_t kWorkspace = 100;
  access::OpCall call{.node = node, .inputs = {}, .outputs = {}, .workspace_address = uint64_t{kWorkspace + 1} << 32, .workspace_tensor = kWorkspace};
  uint32_t number = 0;
  for (const TensorType& type : inputs) call.inputs.push_back(placed(type, number++));
  for (const TensorType& type : outputs) call.outputs.push_back(placed(type, number++));
  Touched touched;
  EXPECT_NE(access::describe(call, touched), access::Fidelity::assumed) << what;
  for (const access::Operand& operand : call.inputs) {
    const std::set<uint64_t> all = bytes_of(operand);
    EXPECT_TRUE(within(touched.loaded[operand.tensor], all)) << what << ": reads beyond operand " << operand.tensor;
    EXPECT_TRUE(within(all, touched.loaded[operand.tensor])) << what << ": does not read all of operand " << operand.tensor;
    EXPECT_TRUE(touched.stored[operand.tensor].empty()) << what;
  }
  for (const access::Operand& operand : call.outputs) EXPECT_EQ(touched.stored[operand.tensor], bytes_of(operand)) << what << ": result " << operand.tensor;
}

TEST(Accesses, OfReductionsNormsAndPoolingAreDescribedAndExact) {
  int examples = 0;
  for (const char* name : {"sum", "mean", "log_sum", "l1_norm", "l2_norm", "sum_of_squares", "reduce_max", "reduce_min", "product", "log_sum_exp", "argmax",
                           "argmin", "group_norm", "group_norm_grad", "max_pool3d", "max_pool3d_grad", "average_pool3d", "average_pool3d_grad"}) {
    for (const test::OpExample& example : test::examples_of(name)) {
      std::vector<TensorType> inputs;
      for (const test::Operand& operand : example.inputs) inputs.push_back(operand.type);
      Node node;
      node.op = find_op(name);
      node.attributes = example.attributes;
      const auto outputs = node.op->infer(inputs, node.attributes);
      ASSERT_TRUE(outputs.ok()) << name << ", " << example.label;
      const auto empty = [](const TensorType& type) { return type.elements() == 0; };
      const auto repeated = [](const TensorType& type) { return type.distinct_bytes() < type.elements() * size_bytes(type.dtype); };
      if (std::ranges::any_of(inputs, empty) || std::ranges::any_of(*outputs, empty) || std::ranges::any_of(inputs, repeated)) continue;
      check(node, inputs, *outputs, std::string(name) + ", " + example.label);
      ++examples;
    }
  }
  EXPECT_GT(examples, 50);
}

TEST(Accesses, OfAConvolutionThatTookABatchNormAlongAreDescribed) {
  GraphBuilder builder;
  const auto vector = [&](const char* name) { return builder.parameter(name, TensorType::contiguous(DType::float32, {8}), Fill{}); };
  const ValueId x = builder.input("x", TensorType::channels_last(DType::float32, {1, 4, 6, 6}), Fill{}),
                w = builder.parameter("w", TensorType::contiguous(DType::float32, {8, 4, 1, 1}), Fill{}),
                z = builder.input("z", TensorType::channels_last(DType::float32, {1, 8, 6, 6}), Fill{});
  const ValueId y = ops::batch_norm_inference(builder, ops::conv2d(builder, x, w, kNoValue), vector("scale"), vector("bias"), vector("mean"), vector("variance"), 1e-5);
  builder.mark_output(ops::relu(builder, ops::add(builder, y, z)));
  const Result<Graph> graph = builder.finish();
  ASSERT_TRUE(graph.ok());
  const Graph fused = fuse(*graph);
  ASSERT_EQ(fused.nodes().size(), 1u);
  const Node& node = fused.nodes()[0];
  check(node, fused.input_types(node), fused.output_types(node), "conv2d+batch_norm_inference+add+relu");
}

}  // namespace
}  // namespace engine
