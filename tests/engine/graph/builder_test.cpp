// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/builder.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/test_ops.h"

namespace engine {
namespace {

using test::kMix, test::kOverwrite, test::kPicky, test::kReversed;

const TensorType kVector = TensorType::contiguous(DType::float32, {8});
const TensorType kMatrix = TensorType::contiguous(DType::float32, {2, 3});

std::string refusal(GraphBuilder& builder) {
  const Result<Graph> graph = builder.finish();
  return graph ? "" : graph.error().message;
}

TEST(GraphBuilder, RefusesToReadWhatWasOverwritten) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kMatrix, {}), g = builder.append1(kMix, {w});
  builder.set_layer("update");
  builder.append1(kOverwrite, {w, g});
  builder.set_layer("fc2");
  builder.append1(kMix, {w});
  EXPECT_EQ(refusal(builder),
            "fc2: [mix] reads w after [overwrite] in update has overwritten it in place: use the output of "
            "[overwrite], or read it before");
}

TEST(GraphBuilder, AViewFromBeforeIsOverwrittenToo) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kMatrix, {});
  const ValueId view = builder.append1(kReversed, {w});
  builder.append1(kOverwrite, {w, builder.append1(kMix, {w})});
  builder.append1(kMix, {view});
  EXPECT_NE(refusal(builder).find("has overwritten it in place"), std::string::npos);
}

TEST(GraphBuilder, AViewOfTheNewBytesAndEarlierReadersAreFine) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kMatrix, {});
  const ValueId view = builder.append1(kReversed, {w});
  const ValueId g = builder.append1(kMix, {view});
  const ValueId once = builder.append1(kOverwrite, {w, builder.append1(kMix, {w})});
  builder.append1(kMix, {builder.append1(kReversed, {once}), g});
  const ValueId twice = builder.append1(kOverwrite, {once, builder.append1(kMix, {once})});
  builder.mark_output(w);
  builder.mark_output(twice);
  EXPECT_EQ(refusal(builder), "");
}

TEST(GraphBuilder, RefusesAnOutputThatWasOverwritten) {
  GraphBuilder builder;
  const ValueId y = builder.append1(kMix, {builder.input("x", kMatrix, {})}, {}, "y");
  builder.append1(kOverwrite, {y, builder.append1(kMix, {y})});
  builder.mark_output(y);
  EXPECT_NE(refusal(builder).find("the graph gives out y after [overwrite]"), std::string::npos) << refusal(builder);
}

TEST(GraphBuilder, AppendsNodesInOrder) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", kMatrix, {Fill::Kind::normal, 0, 1});
  ValueId y = kNoValue;
  {
    const LayerScope outer(builder, "layer1");
    const LayerScope inner(builder, "conv2");
    y = builder.append1(kMix, {x}, {{"note", std::string("n")}});
  }
  const std::vector<ValueId> two = builder.append(kMix, {y, x}, {{"outputs", int64_t{2}}}, "split");
  builder.mark_output(two[1]);
  builder.mark_output(two[1]);
  const Graph graph = *builder.finish();

  ASSERT_EQ(graph.nodes().size(), 2u);
  EXPECT_EQ(graph.node(0).layer, "layer1.conv2");
  EXPECT_EQ(graph.node(1).layer, "");
  EXPECT_EQ(graph.value(y).name, "layer1.conv2.mix");
  EXPECT_EQ(graph.value(y).type, kMatrix);
  EXPECT_EQ(graph.value(y).producer, 0u);
  EXPECT_EQ(graph.value(two[0]).name, "split");
  EXPECT_EQ(graph.value(two[1]).name, "split_2");
  EXPECT_EQ(graph.outputs(), std::vector<ValueId>{two[1]});
  EXPECT_EQ(graph.find("split_2"), two[1]);
  EXPECT_FALSE(graph.find("split_3").has_value());
  EXPECT_EQ(graph.node(1).inputs, (std::vector<ValueId>{y, x}));
  EXPECT_EQ(graph.value(x).kind, ValueKind::input);
  EXPECT_EQ(graph.value(x).producer, kNoNode);
}

TEST(GraphBuilder, RolesFollowPhaseViewsAndOverwriting) {
  GraphBuilder builder;
  const ValueId w = builder.parameter("w", kMatrix, {});
  const ValueId momentum = builder.state("w.momentum", kMatrix, {});
  const ValueId running = builder.state("mean", kVector, {}, Role::weight);
  const ValueId table = builder.constant("table", *Tensor::from_values({2}, std::vector<double>{1, 2}), Role::input);
  const ValueId view = builder.append1(kReversed, {w});
  const ValueId forward = builder.append1(kMix, {w});
  builder.set_phase(Phase::backward);
  const ValueId backward = builder.append1(kMix, {w});
  builder.set_phase(Phase::update);
  const ValueId updated = builder.append1(kOverwrite, {momentum, backward});
  builder.set_role(forward, Role::workspace);
  const Graph graph = *builder.finish();
  EXPECT_EQ(graph.value(w).role, Role::weight);
  EXPECT_EQ(graph.value(momentum).role, Role::optimizer_state);
  EXPECT_EQ(graph.value(running).role, Role::weight);
  EXPECT_EQ(graph.value(table).role, Role::input);
  EXPECT_EQ(graph.value(view).role, Role::weight);
  EXPECT_EQ(graph.value(view).type.strides, (Strides{1, 3}));
  EXPECT_EQ(graph.value(forward).role, Role::workspace);
  EXPECT_EQ(graph.value(backward).role, Role::gradient);
  EXPECT_EQ(graph.value(updated).role, Role::optimizer_state);
  EXPECT_EQ(graph.node(2).phase, Phase::backward);
  EXPECT_EQ(graph.node(3).phase, Phase::update);
}

TEST(GraphBuilder, KeepsTheFirstErrorAndStaysQuiet) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", kMatrix, {});
  const LayerScope scope(builder, "head");
  const ValueId bad = builder.append1(kPicky, {x});
  EXPECT_EQ(bad, kNoValue);
  EXPECT_TRUE(builder.failed());
  EXPECT_EQ(builder.append(kMix, {bad, x})[1], kNoValue);
  EXPECT_EQ(builder.parameter("w", kMatrix, {}), kNoValue);
  EXPECT_EQ(builder.constant("c", Tensor{}), kNoValue);
  builder.mark_output(bad);
  builder.set_role(bad, Role::input);
  EXPECT_EQ(builder.fail(usage_error("second")), kNoValue);
  EXPECT_EQ(builder.graph().values().size(), 1u);
  const Result<Graph> graph = builder.finish();
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().message, "head: [picky] inner dimensions differ: a has k = 64, b has k = 32");
}

TEST(GraphBuilder, RefusesWhatCannotBeAddressed) {
  const auto error_for = [](TensorType type) {
    GraphBuilder builder;
    builder.input("images", std::move(type), {});
    const Result<Graph> graph = builder.finish();
    return graph.ok() ? Error{} : graph.error();
  };
  constexpr int64_t kLarge = int64_t{1} << 40;
  const Error elements = error_for(TensorType::contiguous(DType::float32, {kLarge, kLarge}));
  EXPECT_EQ(elements.kind, ErrorKind::refused);
  EXPECT_NE(elements.message.find("images"), std::string::npos) << elements.message;
  EXPECT_NE(elements.message.find("4.0 YiB"), std::string::npos) << elements.message;
  const Error bytes = error_for(TensorType::contiguous(DType::float64, {int64_t{1} << 62}));
  EXPECT_NE(bytes.message.find("32.0 EiB"), std::string::npos) << bytes.message;
  EXPECT_EQ(error_for(TensorType::contiguous(DType::float32, {2, -1})).kind, ErrorKind::usage);
  EXPECT_NE(error_for(TensorType::contiguous(DType::float32, {2, -1})).message.find("negative"), std::string::npos);
  EXPECT_EQ(error_for(TensorType::contiguous(DType::float32, {int64_t{1} << 59})).message,
            "");  // absurd, but a plan can say so
}

TEST(GraphBuilder, ContinuesAFinishedGraph) {
  GraphBuilder first;
  first.input("x", kVector, {});
  GraphBuilder second(*first.finish());
  const ValueId twin = second.input("x", kVector, {});
  EXPECT_EQ(second.graph().value(twin).name, "x_2");
  EXPECT_EQ(second.type(0), kVector);
}

TEST(GraphBuilder, NamesAreUniqueEvenWhenTheyLookNumbered) {
  GraphBuilder builder;
  std::set<std::string> names;
  for (const char* wanted : {"a", "a_2", "a", "a", "a_2", "a_2_2", "a"}) {
    names.insert(builder.graph().value(builder.input(wanted, kVector, {})).name);
  }
  EXPECT_EQ(names.size(), 7u);
}

/// Quadratic naming took minutes: beyond the time that ctest gives a test.
TEST(GraphBuilder, NamesManyNodes) {
  GraphBuilder builder;
  ValueId x = builder.input("x", kVector, {});
  for (int i = 0; i < 20'000; ++i) x = builder.append1(kMix, {x});
  EXPECT_EQ(builder.graph().value(x).name, "mix_20000");
}

TEST(GraphBuilder, ConstantsWithHolesAreMadeDense) {
  GraphBuilder builder;
  const Tensor wide = *Tensor::from_values({2, 3}, std::vector<double>{0, 1, 2, 3, 4, 5});
  const ValueId id = builder.constant("c", *wide.slice(1, 0, 2));
  const Value& value = builder.graph().value(id);
  EXPECT_TRUE(is_contiguous(value.type.shape, value.type.strides));
  EXPECT_EQ(value.data.get_flat(2), 3);
}

TEST(GraphBuilderDeathTest, AValueThatIsNotThereStops) {
  GraphBuilder builder;
  EXPECT_DEATH(builder.append1(kMix, {5}), "internal error");
  EXPECT_DEATH(static_cast<void>(builder.type(0)), "internal error");
}

}  // namespace
}  // namespace engine
