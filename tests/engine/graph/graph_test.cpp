// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include <gtest/gtest.h>

#include "tests/support/test_ops.h"

namespace engine {
namespace {

TEST(Graph, RolesHaveNames) {
  for (int i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    EXPECT_EQ(parse_role(name(role)), role);
  }
  EXPECT_EQ(name(Role::optimizer_state), "optimizer_state");
  EXPECT_FALSE(parse_role("weights").has_value());
  EXPECT_EQ(name(Phase::backward), "backward");
}

TEST(Graph, CountsParametersAndWhatIsMultiplied) {
  GraphBuilder builder;
  const auto type = [](Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); };
  const ValueId x = builder.input("x", type({4, 5}), {});
  const ValueId weight = builder.parameter("weight", type({5, 7}), {});
  const ValueId bias = builder.parameter("bias", type({7}), {});
  const ValueId scale = builder.parameter("scale", type({5, 2}), {});
  const ValueId file_weight = builder.constant("file", *Tensor::from_values({2, 2}, std::vector<double>{1, 2, 3, 4}));
  builder.constant("shape", *Tensor::from_values({3}, std::vector<double>{1, 2, 3}, DType::int64),
                   Role::input);  // not learned
  const ValueId view = builder.append1(test::kReversed, {weight});
  builder.append(test::kProduct, {x, view, bias});
  builder.append(test::kProduct, {x, weight, file_weight});  // a weight used twice counts once
  builder.append(test::kMix, {x, scale});
  builder.set_phase(Phase::backward);
  builder.append(test::kProduct, {x, scale});  // a gradient does not make a weight
  const Graph graph = *builder.finish();
  EXPECT_EQ(graph.parameter_count(), 35 + 7 + 10 + 4);
  EXPECT_EQ(graph.matrix_weight_count(), 35 + 4);
  EXPECT_EQ(graph.flops(), 4 * 20);
  EXPECT_EQ(graph.flops(Phase::forward), 3 * 20);
  EXPECT_EQ(graph.flops({}, true), 3 * 20);
  EXPECT_EQ(graph.flops(Phase::backward, true), 20);
  EXPECT_EQ(graph.flops(Phase::update), 0);
}

TEST(Graph, CostsOfNodes) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {6, 4}), {});
  builder.append(test::kReversed, {x});
  builder.append(test::kMix, {x});
  const Graph graph = *builder.finish();
  const Cost view = graph.cost(graph.node(0)), mix = graph.cost(graph.node(1));
  EXPECT_EQ(view.flops, 0);
  EXPECT_EQ(view.read_bytes, std::vector<int64_t>{0});  // a view moves nothing
  EXPECT_EQ(view.written_bytes, std::vector<int64_t>{0});
  EXPECT_EQ(mix.read_bytes, std::vector<int64_t>{96});
  EXPECT_EQ(mix.written_bytes, std::vector<int64_t>{96});
  EXPECT_EQ(graph.output_types(graph.node(0))[0].shape, (Shape{4, 6}));
}

}  // namespace
}  // namespace engine
