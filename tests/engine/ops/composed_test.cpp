// SPDX-License-Identifier: Apache-2.0
// einsum against the definition (a loop over all labels); what it appends; what it refuses. Resize and the functions
// whose shapes depend on the elements against results worked out by hand or taken from the ONNX specification's tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/ops/data_dependent.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace engine {
namespace {

using Values = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor tensor(Shape shape, const Values& values, DType dtype = DType::float64) {
  Result<Tensor> made = Tensor::from_values(std::move(shape), values, dtype);
  CHECK(made.ok());
  return *made;
}

/// Operands filled with small whole numbers, and what the graph computes from them.
struct Computed {
  std::vector<Tensor> inputs;
  Tensor result;
  Graph graph;
};

Computed compute(const std::string& equation, const std::vector<Shape>& shapes) {
  Computed computed;
  GraphBuilder builder;
  std::vector<ValueId> operands;
  for (size_t i = 0; i < shapes.size(); ++i) {
    computed.inputs.push_back(test::make_tensor(TensorType::contiguous(DType::float64, shapes[i])));
    fill(computed.inputs.back(), {Fill::Kind::integers, -4, 5}, 1, i);
    operands.push_back(builder.constant("x" + std::to_string(i), computed.inputs.back()));
  }
  const ValueId y = ops::einsum(builder, equation, operands);
  builder.mark_output(y);
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  computed.graph = *graph;
  test::HostInterpreter interpreter(std::move(*graph));
  interpreter.run();
  computed.result = interpreter.tensor(y);
  return computed;
}

/// The definition: for every assignment of the labels the product of the operands is added to the output.
Values by_definition(const std::vector<std::string>& terms, const std::string& output,
                     const std::vector<Tensor>& inputs) {
  std::map<char, int64_t> extents, at;
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t k = 0; k < terms[i].size(); ++k)
      extents[terms[i][k]] = std::max(extents[terms[i][k]], inputs[i].shape()[k]);
  }
  Shape shape;
  std::string labels;
  for (const auto& [label, extent] : extents) {
    labels.push_back(label);
    at[label] = 0;
  }
  int64_t count = 1, outputs = 1;
  for (const char label : labels) count *= extents[label];
  for (const char label : output) outputs *= extents[label];
  Values result(static_cast<size_t>(outputs), 0.0);
  for (int64_t step = 0; step < count; ++step) {
    double product = 1;
    for (size_t i = 0; i < terms.size(); ++i) {
      std::vector<int64_t> index;
      for (size_t k = 0; k < terms[i].size(); ++k) index.push_back(inputs[i].shape()[k] == 1 ? 0 : at[terms[i][k]]);
      product *= inputs[i].get(index);
    }
    int64_t position = 0;
    for (const char label : output) position = position * extents[label] + at[label];
    result[static_cast<size_t>(position)] += product;
    for (size_t k = labels.size(); k-- > 0;) {
      if (++at[labels[k]] < extents[labels[k]]) break;
      at[labels[k]] = 0;
    }
  }
  return result;
}

struct Case {
  std::string equation;
  std::vector<Shape> shapes;
  std::vector<std::string> terms;  ///< without "..."
  std::string output;
};

TEST(Einsum, AgreesWithItsDefinition) {
  const std::vector<Case> cases{
      {"ij,jk->ik", {{2, 3}, {3, 4}}, {"ij", "jk"}, "ik"},
      {"bij,bjk->bik", {{2, 3, 4}, {2, 4, 2}}, {"bij", "bjk"}, "bik"},
      {"bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}}, {"bhqd", "bhkd"}, "bhqk"},
      {" ij , kj ", {{2, 3}, {4, 3}}, {"ij", "kj"}, "ik"},
      {"i,j->ji", {{2}, {3}}, {"i", "j"}, "ji"},
      {"i,i->", {{4}, {4}}, {"i", "i"}, ""},
      {"ij->j", {{2, 3}}, {"ij"}, "j"},
      {"ijk->ki", {{2, 3, 4}}, {"ijk"}, "ki"},
      {"ii->i", {{3, 3}}, {"ii"}, "i"},
      {"ii", {{3, 3}}, {"ii"}, ""},
      {"iijj->ij", {{2, 2, 3, 3}}, {"iijj"}, "ij"},
      {"iji->j", {{2, 3, 2}}, {"iji"}, "j"},
      {"ij,ij->ij", {{2, 3}, {2, 3}}, {"ij", "ij"}, "ij"},
      {"ij,ij->", {{2, 3}, {2, 3}}, {"ij", "ij"}, ""},
      {"ab,bc,cd->ad", {{2, 3}, {3, 2}, {2, 4}}, {"ab", "bc", "cd"}, "ad"},
      {"abcd,cdef->abef", {{2, 3, 2, 2}, {2, 2, 3, 2}}, {"abcd", "cdef"}, "abef"},
      {"ijk,k,j->i", {{2, 3, 4}, {4}, {3}}, {"ijk", "k", "j"}, "i"},
      {"...ij,...jk->...ik", {{2, 2, 3}, {1, 3, 2}}, {"aij", "ajk"}, "aik"},
      {"...ij,jk", {{2, 3, 2, 4}, {4, 2}}, {"abij", "jk"}, "abik"},
      {"b...,b...->...", {{2, 3}, {2, 3}}, {"bx", "bx"}, "x"},
      {"ij,jk->ik", {{2, 1}, {3, 4}}, {"ij", "jk"}, "ik"},
      {"i->i", {{3}}, {"i"}, "i"},
      {",->", {{}, {}}, {"", ""}, ""},
      {"ij,k->", {{2, 3}, {2}}, {"ij", "k"}, ""},
      {"ij,jk->ik", {{2, 0}, {0, 3}}, {"ij", "jk"}, "ik"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.equation);
    const Computed computed = compute(c.equation, c.shapes);
    EXPECT_EQ(test::values(computed.result), by_definition(c.terms, c.output, computed.inputs));
  }
}

TEST(Einsum, BatchedProductsAreOneMatrixProductWithoutCopies) {
  const Computed computed = compute("bhqd,bhkd->bhqk", {{2, 2, 3, 4}, {2, 2, 5, 4}});
  std::vector<std::string_view> run;
  for (const Node& node : computed.graph.nodes()) {
    if (node.op->view == nullptr) run.push_back(node.op->name);
  }
  EXPECT_EQ(run, std::vector<std::string_view>{"matmul"});
}

TEST(Einsum, SaysWhatIsWrongWithAnEquation) {
  const auto refusal = [](const std::string& equation, const std::vector<Shape>& shapes) {
    GraphBuilder builder;
    std::vector<ValueId> operands;
    for (const Shape& shape : shapes)
      operands.push_back(builder.input("x", TensorType::contiguous(DType::float32, shape), {}));
    ops::einsum(builder, equation, operands);
    EXPECT_TRUE(builder.failed()) << equation;
    return builder.failed() ? builder.finish().error().message : "";
  };
  EXPECT_EQ(refusal("ij,jk->ik", {{2, 3}}), "[einsum] \"ij,jk->ik\" names 2 operands, got 1");
  EXPECT_EQ(refusal("ij->i", {{2, 3, 4}}), "[einsum] \"ij\" in \"ij->i\" names 2 axes, its operand has 3");
  EXPECT_EQ(refusal("i1->i", {{2, 3}}), "[einsum] '1' in \"i1->i\" is no label: labels are letters");
  EXPECT_EQ(refusal("i..j->i", {{2, 3}}), "[einsum] \"i..j\" in \"i..j->i\": dots come as one \"...\"");
  EXPECT_EQ(refusal("ij,jk->ik", {{2, 3}, {4, 5}}),
            "[einsum] label 'j' of \"ij,jk->ik\" is 3 long in one operand and 4 in another");
  EXPECT_EQ(refusal("ii->i", {{2, 3}}), "[einsum] label 'i' of \"ii->i\" is 2 and 3 long in one operand");
  EXPECT_EQ(refusal("ij->k", {{2, 3}}), "[einsum] output label 'k' of \"ij->k\" is in no operand");
  EXPECT_EQ(refusal("ij->ii", {{2, 3}}), "[einsum] output label 'i' of \"ij->ii\" is named twice");
  EXPECT_EQ(refusal("...ij->ij", {{2}}), "[einsum] \"...ij\" in \"...ij->ij\" names 2 axes, its operand has 1");
}

// ---- resize
// -------------------------------------------------------------------------------------------------------------------

Values resized(const Tensor& x, const std::vector<double>& scales, std::vector<int64_t> sizes,
               const ops::ResizeOptions& options) {
  GraphBuilder builder;
  const ValueId in = builder.constant("x", x);
  const ValueId y = scales.empty() ? ops::resize(builder, in, std::move(sizes), options)
                                   : ops::resize_by(builder, in, scales, options);
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  test::HostInterpreter interpreter(std::move(*graph));
  interpreter.run();
  return test::values(interpreter.tensor(y));
}

void expect_near(const Values& got, const Values& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2e-6) << i;
}

Values counting(int64_t count) {
  Values values;
  for (int64_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
  return values;
}

TEST(Resize, AgreesWithTheSpecificationsExamples) {
  const Tensor two = tensor({1, 1, 2, 2}, counting(4)), four = tensor({1, 1, 2, 4}, counting(8)),
               square = tensor({1, 1, 4, 4}, counting(16));
  // resize_downsample_scales_nearest, _linear, _linear_align_corners
  expect_near(resized(four, {1, 1, 0.6F, 0.6F}, {}, {.mode = "nearest"}), {1, 3});
  expect_near(resized(four, {1, 1, 0.6F, 0.6F}, {}, {.mode = "linear"}), {2.6666665, 4.3333331});
  expect_near(resized(four, {1, 1, 0.6F, 0.6F}, {}, {.mode = "linear", .coordinates = "align_corners"}), {1, 3.142857});
  // resize_upsample_scales_linear, _linear_align_corners
  expect_near(resized(two, {1, 1, 2, 2}, {}, {.mode = "linear"}),
              {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
  expect_near(resized(two, {1, 1, 2, 2}, {}, {.mode = "linear", .coordinates = "align_corners"}),
              {1, 1.33333333, 1.66666667, 2, 1.66666667, 2, 2.33333333, 2.66666667, 2.33333333, 2.66666667, 3,
               3.33333333, 3, 3.33333333, 3.66666667, 4});
  // resize_upsample_sizes_nearest
  expect_near(resized(two, {}, {1, 1, 7, 8}, {.mode = "nearest"}),
              {1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1,
               2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 3, 4, 4, 4, 4});
  // resize_downsample_scales_cubic, _cubic_A_n0p5_exclude_outside, resize_downsample_sizes_linear_pytorch_half_pixel
  expect_near(
      resized(square, {1, 1, 0.8F, 0.8F}, {}, {.mode = "cubic"}),
      {1.47119141, 2.78125, 4.08251953, 6.71142578, 8.02148438, 9.32275391, 11.91650391, 13.2265625, 14.52783203});
  expect_near(
      resized(square, {1, 1, 0.8F, 0.8F}, {}, {.mode = "cubic", .cubic_coefficient = -0.5, .exclude_outside = true}),
      {1.36812675, 2.6695014, 4.0133367, 6.57362535, 7.875, 9.2188353, 11.94896657, 13.25034122, 14.59417652});
  expect_near(resized(square, {}, {1, 1, 3, 1}, {.mode = "linear", .coordinates = "pytorch_half_pixel"}),
              {1.6666666, 7, 12.333333});
  // resize_tf_crop_and_resize, _extrapolation_value
  ops::ResizeOptions crop{.mode = "linear",
                          .coordinates = "tf_crop_and_resize",
                          .extrapolation_value = 10,
                          .roi = {0, 0, 0.4, 0.6, 1, 1, 0.6, 0.8}};
  expect_near(resized(square, {}, {1, 1, 3, 3}, crop), {7.6, 7.9, 8.2, 8.8, 9.1, 9.4, 10, 10.3, 10.6});
  crop.roi = {0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7};
  expect_near(resized(square, {}, {1, 1, 3, 3}, crop), {7.6, 10, 10, 12.4, 10, 10, 10, 10, 10});
}

TEST(Resize, SaysWhatIsWrong) {
  const auto refusal = [](std::vector<int64_t> sizes, const ops::ResizeOptions& options) {
    GraphBuilder builder;
    const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {2, 0}), {});
    ops::resize(builder, x, std::move(sizes), options);
    EXPECT_TRUE(builder.failed());
    return builder.failed() ? builder.finish().error().message : "";
  };
  EXPECT_EQ(refusal({2}, {}), "[resize] needs one size per axis of x (2), got 1");
  EXPECT_EQ(refusal({2, 3}, {}), "[resize] axis 1 of 0 elements cannot become 3 long");
  EXPECT_EQ(refusal({2, 0}, {.mode = "bilinear"}),
            "[resize] mode is \"bilinear\", expected one of nearest, linear, cubic");
  EXPECT_EQ(refusal({2, 0}, {.coordinates = "tf_crop_and_resize"}),
            "[resize] roi needs the starts and the ends of all 2 axes, got 0 numbers");
}

// ---- shapes that depend on the elements
// -----------------------------------------------------------------------------------------

TEST(DataDependent, NonZeroGivesPlaces) {
  const auto places = ops::non_zero(tensor({2, 3}, {0, 1, kNan, 2, 0, 0}));
  ASSERT_TRUE(places.ok());
  EXPECT_EQ(places->shape(), (Shape{2, 3}));
  EXPECT_EQ(test::values(*places), (Values{0, 0, 1, 1, 2, 0}));
  EXPECT_EQ(ops::non_zero(tensor({}, {1}))->shape(), (Shape{0, 1}));
  EXPECT_EQ(ops::non_zero(tensor({2}, {0, 0}))->shape(), (Shape{1, 0}));
}

TEST(DataDependent, UniqueGroupsElementsAndSlices) {
  const Tensor x = tensor({6}, {2, 1, 1, 3, 4, 3});  // the specification's examples
  const auto sorted = ops::unique(x);
  ASSERT_TRUE(sorted.ok());
  EXPECT_EQ(test::values(sorted->values), (Values{1, 2, 3, 4}));
  EXPECT_EQ(test::values(sorted->first), (Values{1, 0, 3, 4}));
  EXPECT_EQ(test::values(sorted->inverse), (Values{1, 0, 0, 2, 3, 2}));
  EXPECT_EQ(test::values(sorted->counts), (Values{2, 1, 2, 1}));
  const auto in_order = ops::unique(x, {}, false);
  EXPECT_EQ(test::values(in_order->values), (Values{2, 1, 3, 4}));
  EXPECT_EQ(test::values(in_order->first), (Values{0, 1, 3, 4}));
  EXPECT_EQ(test::values(in_order->inverse), (Values{0, 1, 1, 2, 3, 2}));
  EXPECT_EQ(test::values(in_order->counts), (Values{1, 2, 2, 1}));
  const auto rows = ops::unique(tensor({3, 3}, {1, 0, 0, 1, 0, 0, 2, 3, 4}), 0);
  EXPECT_EQ(rows->values.shape(), (Shape{2, 3}));
  EXPECT_EQ(test::values(rows->values), (Values{1, 0, 0, 2, 3, 4}));
  EXPECT_EQ(test::values(rows->inverse), (Values{0, 0, 1}));
  const auto columns = ops::unique(tensor({2, 3}, {1, 0, 1, 2, 5, 2}, DType::int64), -1);
  EXPECT_EQ(test::values(columns->values), (Values{0, 1, 5, 2}));
  EXPECT_EQ(test::values(ops::unique(tensor({3}, {kNan, 1, kNan}))->counts), (Values{1, 1, 1}));
  EXPECT_EQ(ops::unique(tensor({0}, {}))->values.shape(), (Shape{0}));
  EXPECT_FALSE(ops::unique(x, 1).ok());
}

TEST(DataDependent, CompressKeepsWhatIsTrue) {
  const Tensor x = tensor({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto flags = [](const Values& values) {
    return tensor({static_cast<int64_t>(values.size())}, values, DType::boolean);
  };
  EXPECT_EQ(test::values(*ops::compress(x, flags({0, 1, 1}), 0)), (Values{3, 4, 5, 6}));
  EXPECT_EQ(test::values(*ops::compress(x, flags({0, 1}), 1)), (Values{2, 4, 6}));
  EXPECT_EQ(test::values(*ops::compress(x, flags({0, 1, 0, 0, 1}))), (Values{2, 5}));
  EXPECT_EQ(ops::compress(x, flags({0, 0}), 0)->shape(), (Shape{0, 2}));
  EXPECT_EQ(ops::compress(x, flags({0, 1, 1}), 1).error().message, "[compress] the condition has 3 elements, x only 2");
}

}  // namespace
}  // namespace engine
