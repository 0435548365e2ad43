// SPDX-License-Identifier: Apache-2.0
// Values of the ops that pick and place elements, worked out by hand; what they refuse; what they cost.
#include "engine/ops/indexing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace engine {
namespace {

using Values = std::vector<double>;
using Ints = std::vector<int64_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor tensor(Shape shape, const Values& values, DType dtype = DType::float32) {
  Result<Tensor> made = Tensor::from_values(std::move(shape), values, dtype);
  CHECK(made.ok());
  return *made;
}
Tensor longs(Shape shape, const Values& values) { return tensor(std::move(shape), values, DType::int64); }

/// Runs an op's reference and gives output `output`.
Values run(const Op& op, const std::vector<Tensor>& inputs, const Attributes& attributes, size_t output = 0) {
  return test::values(test::run_reference(op, inputs, attributes)[output]);
}

/// NaN equals NaN.
void expect_values(const Values& got, const Values& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(got[i]) : got[i] == wanted[i])
        << i << ": " << got[i] << " " << wanted[i];
  }
}

/// What an op says about operands it refuses.
std::string refusal(const Op& op, const std::vector<TensorType>& inputs, const Attributes& attributes) {
  const auto result = op.infer(inputs, attributes);
  EXPECT_FALSE(result.ok());
  return result.ok() ? "" : result.error().message;
}
TensorType f32(Shape shape) { return TensorType::contiguous(DType::float32, std::move(shape)); }
TensorType i64(Shape shape) { return TensorType::contiguous(DType::int64, std::move(shape)); }

/// The values a small graph computes from constants.
template <class Build>
std::vector<Values> computed(const std::vector<Tensor>& inputs, const Build& build) {
  GraphBuilder builder;
  std::vector<ValueId> leaves;
  for (size_t i = 0; i < inputs.size(); ++i) leaves.push_back(builder.constant("x" + std::to_string(i), inputs[i]));
  const std::vector<ValueId> wanted = build(builder, leaves);
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  test::HostInterpreter interpreter(std::move(*graph));
  interpreter.run();
  std::vector<Values> results;
  for (const ValueId id : wanted) results.push_back(test::values(interpreter.tensor(id)));
  return results;
}

/// What a builder says about the first thing it refuses.
template <class Build>
std::string build_refusal(const std::vector<TensorType>& inputs, const Build& build) {
  GraphBuilder builder;
  std::vector<ValueId> leaves;
  for (size_t i = 0; i < inputs.size(); ++i) leaves.push_back(builder.input("x" + std::to_string(i), inputs[i], {}));
  build(builder, leaves);
  EXPECT_TRUE(builder.failed());
  return builder.failed() ? builder.finish().error().message : "";
}

TEST(Indexing, ConcatKeepsTheBitsOfEveryType) {
  for (const DType dtype : all_dtypes()) {
    const Tensor a = tensor({2, 1}, {1, 0}, dtype), b = tensor({2, 2}, {0, 1, 1, 1}, dtype);
    expect_values(run(ops::kConcat, {a, b}, {{"axis", int64_t{1}}}), {1, 0, 1, 0, 1, 1});
  }
  const Tensor large = longs({1}, {0});
  *large.data_as<int64_t>() = (int64_t{1} << 62) + 1;  // no double
  const auto joined = test::run_reference(ops::kConcat, {large, large}, {{"axis", int64_t{0}}});
  EXPECT_EQ(joined[0].data_as<int64_t>()[1], (int64_t{1} << 62) + 1);
}

TEST(Indexing, ConcatSaysWhatDiffers) {
  EXPECT_EQ(refusal(ops::kConcat, {f32({2, 3}), f32({3, 2})}, {{"axis", int64_t{0}}}),
            "[concat] operand 1 is 3x2, operand 0 is 2x3: they may differ along axis 0 alone");
  EXPECT_EQ(refusal(ops::kConcat, {f32({2}), i64({2})}, {{"axis", int64_t{0}}}),
            "[concat] dtypes differ: operand 0 is f32, operand 1 is i64");
}

TEST(Indexing, SplitMakesViews) {
  const Tensor x = tensor({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto pieces = computed({x}, [](GraphBuilder& builder, const auto& in) {
    const auto made = ops::split(builder, in[0], {1, 0, 3}, 1);
    for (const Node& node : builder.graph().nodes()) EXPECT_NE(node.op->view, nullptr);
    return made;
  });
  EXPECT_EQ(pieces, (std::vector<Values>{{1, 5}, {}, {2, 3, 4, 6, 7, 8}}));
  EXPECT_EQ(build_refusal({f32({2, 4})},
                          [](GraphBuilder& b, const auto& in) {
                            return ops::split(b, in[0], {1, 2}, 1);
                          }),
            "[split] the sizes {1, 2} do not add up to the 4 elements of axis 1 of x (2x4)");
}

TEST(Indexing, ReverseMakesViews) {
  const Tensor x = tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto turned = computed({x}, [](GraphBuilder& builder, const auto& in) {
    const ValueId y = ops::reverse(builder, in[0], {0, -1});
    for (const Node& node : builder.graph().nodes()) EXPECT_NE(node.op->view, nullptr);
    return std::vector{y};
  });
  EXPECT_EQ(turned[0], (Values{6, 5, 4, 3, 2, 1}));
}

TEST(Indexing, PadTakesItsModesFromNumpy) {
  const auto padded = [](const char* mode, Ints before, Ints after) {
    return run(
        ops::kPad, {tensor({3}, {1, 2, 3})},
        {{"before", std::move(before)}, {"after", std::move(after)}, {"mode", std::string(mode)}, {"value", 9.0}});
  };
  EXPECT_EQ(padded("constant", {1}, {2}), (Values{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(padded("reflect", {5}, {3}), (Values{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2}));
  EXPECT_EQ(padded("edge", {2}, {1}), (Values{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(padded("wrap", {4}, {1}), (Values{3, 1, 2, 3, 1, 2, 3, 1}));
  EXPECT_EQ(padded("constant", {-1}, {1}), (Values{2, 3, 9}));
}

TEST(Indexing, PadSaysWhichAxisIsWrong) {
  const auto with = [](Ints before, Ints after, const char* mode) {
    return refusal(ops::kPad, {f32({0, 3})},
                   {{"before", std::move(before)}, {"after", std::move(after)}, {"mode", std::string(mode)}});
  };
  EXPECT_EQ(with({0, -2}, {0, -2}, "edge"),
            "[pad] axis 1 has 3 elements: -2 before and -2 after leave no valid extent");
  EXPECT_EQ(with({1, 0}, {0, 0}, "edge"), "[pad] axis 0 has no elements for mode edge to take");
  EXPECT_EQ(with({1}, {0, 0}, "edge"), "[pad] needs as many paddings before and after as x has axes (2), got 1 and 2");
  EXPECT_EQ(with({1, 0}, {0, 0}, "mirror"), "[pad] mode is \"mirror\", expected constant, reflect, edge or wrap");
}

TEST(Indexing, AnIndexOutsideShowsInTheResult) {
  const Tensor x = tensor({2, 2}, {1, 2, 3, 4}), bad = longs({3}, {1, 2, -3});
  expect_values(run(ops::kGather, {x, bad}, {{"axis", int64_t{0}}}), {3, 4, kNan, kNan, kNan, kNan});
  expect_values(run(ops::kGather, {tensor({2}, {7, 8}, DType::int32), bad}, {{"axis", int64_t{0}}}), {8, 0, 0});
  expect_values(run(ops::kGather, {tensor({2}, {1, 1}, DType::boolean), bad}, {{"axis", int64_t{0}}}), {1, 0, 0});
  expect_values(run(ops::kEmbeddingBag, {x, longs({2, 2}, {0, 1, 0, 5})}, {{"mode", std::string("sum")}}),
                {4, 6, kNan, kNan});
  const Tensor huge = longs({1}, {0});
  *huge.data_as<int64_t>() = std::numeric_limits<int64_t>::min();
  expect_values(run(ops::kGather, {x, huge}, {{"axis", int64_t{1}}}), {kNan, kNan});
}

TEST(Indexing, GatherReadsTheRowsItNames) {
  const std::vector<TensorType> inputs{f32({1'000'000, 64}), i64({10})};
  const Attributes rows{{"axis", int64_t{0}}};
  const auto outputs = ops::kGather.infer(inputs, rows);
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(ops::kGather.cost({rows, inputs, *outputs}).read_bytes, (Ints{10 * 64 * 4, 10 * 8}));
  const std::vector<TensorType> small{f32({4, 64}), i64({10})};
  const auto more = ops::kGather.infer(small, rows);
  EXPECT_EQ(ops::kGather.cost({rows, small, *more}).read_bytes[0], 4 * 64 * 4);  // all of the table, not more
}

TEST(Indexing, AMeanOfNothingIsZero) {
  expect_values(
      run(ops::kEmbeddingBag, {tensor({2, 2}, {1, 2, 3, 4}), longs({1, 0}, {})}, {{"mode", std::string("mean")}}),
      {0, 0});
}

TEST(Indexing, ScatterMeetsWhatStandsThere) {
  const Tensor x = tensor({3}, {5, 6, 7}), places = longs({3}, {1, -2, 0}), updates = tensor({3}, {2, 10, kNan});
  const auto scattered = [&](const char* reduction) {
    return run(ops::kScatterElements, {x, places, updates},
               {{"axis", int64_t{0}}, {"reduction", std::string(reduction)}});
  };
  expect_values(scattered("none"), {kNan, 10, 7});  // of two updates of one place the last stays
  expect_values(scattered("add"), {kNan, 18, 7});
  expect_values(scattered("mul"), {kNan, 120, 7});
  expect_values(scattered("max"), {kNan, 10, 7});
  expect_values(scattered("min"), {kNan, 2, 7});
  const Tensor rows = tensor({2, 2}, {1, 2, 3, 4});
  expect_values(run(ops::kScatterNd, {rows, longs({2, 1}, {1, -1}), tensor({2, 2}, {5, 1, 2, 9})},
                    {{"reduction", std::string("max")}}),
                {1, 2, 5, 9});
}

TEST(Indexing, AScatterOutsideShowsInTheWholeResult) {
  const Attributes rows{{"axis", int64_t{0}}};
  expect_values(run(ops::kScatterElements, {tensor({2}, {1, 2}), longs({2}, {0, 2}), tensor({2}, {3, 4})}, rows),
                {kNan, kNan});
  expect_values(run(ops::kScatterElements, {longs({2}, {1, 2}), longs({1}, {-3}), longs({1}, {3})}, rows), {0, 0});
  expect_values(run(ops::kScatterNd, {tensor({2}, {1, 2}), longs({1, 1}, {7}), tensor({1}, {3})}, {}), {kNan, kNan});
}

TEST(Indexing, ReductionsWithoutAGradientSaySo) {
  const std::vector<TensorType> inputs{TensorType::contiguous(DType::float32, {3}), i64({3}), f32({3})};
  EXPECT_EQ(build_refusal(inputs,
                          [](GraphBuilder& builder, const auto& in) {
                            const ValueId y = ops::scatter_elements(builder, in[0], in[1], in[2], 0, "max");
                            return differentiate(builder, ops::sum(builder, y, {}), std::vector<ValueId>{in[0]});
                          }),
            "[scatter_elements] has no gradient with reduction max, only with none and add");
}

TEST(Indexing, GatherNdCountsBatchAxesApart) {
  const Tensor x = tensor({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  expect_values(run(ops::kGatherNd, {x, longs({2, 1}, {1, 0})}, {{"batch_dims", int64_t{1}}}), {2, 3, 4, 5});
  expect_values(run(ops::kGatherNd, {x, longs({2, 3}, {0, 1, -1, 1, 0, 2})}, {}), {3, kNan});
}

TEST(Indexing, TopKTakesTheFirstOfEqualOnesAndNanAsLargest) {
  const Tensor x = tensor({6}, {2, kNan, 5, 5, 1, 2});
  const Attributes top{{"k", int64_t{4}}, {"axis", int64_t{0}}};
  expect_values(run(ops::kTopK, {x}, top), {kNan, 5, 5, 2});
  expect_values(run(ops::kTopK, {x}, top, 1), {1, 2, 3, 0});
  Attributes low = top;
  low.set("largest", int64_t{0});
  expect_values(run(ops::kTopK, {x}, low, 1), {4, 0, 5, 2});
  low.set("sorted", int64_t{0});
  expect_values(run(ops::kTopK, {x}, low, 1), {0, 2, 4, 5});
  EXPECT_EQ(refusal(ops::kTopK, {f32({6})}, {{"k", int64_t{7}}, {"axis", int64_t{0}}}),
            "[top_k] k is 7, expected 0 to the 6 elements of axis 0 of x (6)");
}

TEST(Indexing, TriangleCountsWhatItKeeps) {
  for (const int64_t upper : {0, 1}) {
    for (int64_t k = -6; k <= 6; ++k) {
      const Attributes attributes{{"upper", upper}, {"k", k}};
      const std::vector<TensorType> type{f32({3, 5})};
      const Values kept = run(ops::kTriangle, {tensor({3, 5}, Values(15, 1))}, attributes);
      EXPECT_EQ(ops::kTriangle.cost({attributes, type, type}).read_bytes[0],
                4 * static_cast<int64_t>(std::count(kept.begin(), kept.end(), 1.0)))
          << upper << " " << k;
    }
  }
}

/// Without elements the other extents cost nothing, however long.
TEST(Indexing, LongAxesOfEmptyTensorsAreNotWalked) {
  constexpr int64_t kLong = int64_t{1} << 40;
  const auto empty = [](Shape shape, DType dtype = DType::float32) {
    return test::make_tensor(TensorType::contiguous(dtype, std::move(shape)));
  };
  const Tensor x = empty({kLong, 2, kLong, 0}), two = longs({2}, {0, 1});
  for (const int64_t axis : {0, 1, 2}) EXPECT_TRUE(run(ops::kGather, {x, two}, {{"axis", axis}}).empty());
  const Attributes whole{{"axis", int64_t{1}}, {"input_shape", x.shape()}, {"input_strides", x.strides()}};
  EXPECT_TRUE(run(ops::kGatherGrad, {x, two}, whole).empty());
  EXPECT_TRUE(run(ops::kGatherNd, {x, empty({kLong, 0}, DType::int64)}, {}).empty());
  EXPECT_TRUE(run(ops::kConcat, {x, x}, {{"axis", int64_t{1}}}).empty());
  EXPECT_TRUE(run(ops::kTopK, {x}, {{"k", int64_t{2}}, {"axis", int64_t{1}}}).empty());
  EXPECT_TRUE(run(ops::kTile, {x}, {{"repeats", Ints{1, 5, 1, 1}}}).empty());
  EXPECT_TRUE(run(ops::kTriangle, {x}, {}).empty());
  EXPECT_TRUE(run(ops::kOneHot, {empty({kLong, 0}, DType::int64)}, {{"depth", kLong}, {"axis", int64_t{0}}}).empty());
}

TEST(Indexing, OneHotOutsideIsOff) {
  expect_values(run(ops::kOneHot, {longs({4}, {1, -1, 3, -4})}, {{"depth", int64_t{3}}, {"on", 2.0}, {"off", 1.0}}),
                {1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1});
}

TEST(Indexing, ALengthOutsideShowsInItsSequence) {
  expect_values(run(ops::kReverseSequence, {tensor({2, 3}, {1, 2, 3, 4, 5, 6}), longs({2}, {2, 4})},
                    {{"batch_axis", int64_t{0}}, {"time_axis", int64_t{1}}}),
                {2, 1, 3, kNan, kNan, kNan});
}

TEST(Indexing, RangesAreConstants) {
  const auto made = computed({}, [](GraphBuilder& builder, const auto&) {
    return std::vector{ops::range(builder, 2, 9, 3, DType::int64), ops::range(builder, 1, 0, -0.25, DType::float32),
                       ops::range(builder, 1, 0, 1, DType::int32)};
  });
  EXPECT_EQ(made, (std::vector<Values>{{2, 5, 8}, {1, 0.75, 0.5, 0.25}, {}}));
  EXPECT_EQ(
      build_refusal({}, [](GraphBuilder& builder, const auto&) { return ops::range(builder, 0, 5, 0, DType::int64); }),
      "[range] from 0 to 5 in steps of 0: all must be finite and the step not 0");
  build_refusal({}, [](GraphBuilder& builder, const auto&) { return ops::range(builder, 0, 1e14, 1, DType::int64); });
}

/// Depth to space and back, in both layouts: the same values, and one copy each.
TEST(Indexing, BlocksOfPixelsAndChannelsAreExchanged) {
  for (const TensorType& type : {f32({1, 8, 1, 2}), TensorType::channels_last(DType::float32, {1, 8, 1, 2})}) {
    const Tensor x = test::make_tensor(type);
    for (int64_t i = 0; i < 16; ++i) x.set_flat(i, static_cast<double>(i));
    const auto made = computed({x}, [&](GraphBuilder& builder, const auto& in) {
      const ValueId dcr = ops::depth_to_space(builder, in[0], 2, "DCR"),
                    crd = ops::depth_to_space(builder, in[0], 2, "CRD");
      const ValueId back = ops::space_to_depth(builder, dcr, 2);
      EXPECT_EQ(is_channels_last(builder.type(back).shape, builder.type(back).strides),
                is_channels_last(type.shape, type.strides));
      const auto& nodes = builder.graph().nodes();
      EXPECT_EQ(std::ranges::count_if(nodes, [](const Node& node) { return node.op->view == nullptr; }), 3);
      return std::vector{dcr, crd, back};
    });
    EXPECT_EQ(made[0], (Values{0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15}));
    EXPECT_EQ(made[1], (Values{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}));
    EXPECT_EQ(made[2], test::values(x));
  }
  EXPECT_EQ(build_refusal({f32({1, 6, 2, 2})},
                          [](GraphBuilder& b, const auto& in) { return ops::depth_to_space(b, in[0], 2); }),
            "[depth_to_space] 6 channels are no multiple of 2 x 2");
}

}  // namespace
}  // namespace engine
