// SPDX-License-Identifier: Apache-2.0
// Kernels of attention, norms and LSTM at sizes their blocks and vectors are cut for, against the references.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/ops/attention.h"
#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using test::Operand;

constexpr Fill kNormal{Fill::Kind::normal, 0, 1};

Operand normal(Shape shape, double deviation = 1) {
  return {TensorType::contiguous(DType::float64, std::move(shape)), {Fill::Kind::normal, 0, deviation}};
}
Operand flags(Shape shape) {
  return {TensorType::contiguous(DType::boolean, std::move(shape)), {Fill::Kind::integers, 0, 2}};
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// Runs the op on `inputs` by a kernel of its own and compares with the reference; returns the outputs.
std::vector<Tensor> run_and_compare(const Op& op, const std::vector<Tensor>& inputs, const Attributes& attributes,
                                    double tolerance = 5e-5) {
  auto backend = cpu::make_backend(2);
  CHECK(backend.ok());
  Node node;
  node.op = &op;
  node.attributes = attributes;
  const auto input_types = types_of(inputs);
  const auto types = op.infer(input_types, attributes);
  EXPECT_TRUE(types.ok()) << (types.ok() ? "" : types.error().message);
  if (!types.ok()) return {};
  std::vector<Tensor> outputs;
  for (const TensorType& type : *types) outputs.push_back(test::make_tensor(type));
  auto workspace = (*backend)->allocate((*backend)->workspace_bytes(node, {attributes, input_types, *types}));
  CHECK(workspace.ok());
  auto prepared = (*backend)->prepare(
      {node, {&node.attributes, inputs, outputs}, (*workspace)->data(), std::vector<bool>(inputs.size(), false)});
  EXPECT_TRUE(prepared.ok());
  if (!prepared.ok()) return {};
  EXPECT_NE((*prepared)->kernel_name(), "reference") << op.name;
  (*prepared)->run();
  (*prepared)->run();  // nothing of the first run may be left behind
  const std::vector<Tensor> wanted = test::run_reference(op, inputs, attributes);
  for (size_t j = 0; j < outputs.size(); ++j) {
    const std::vector<double> a = test::values(outputs[j]), b = test::values(wanted[j]);
    double largest = 1, worst = 0;
    for (const double value : b) largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    EXPECT_LE(worst, tolerance * largest) << op.name << ", output " << j;
  }
  return outputs;
}

std::vector<Tensor> operands(const std::vector<Operand>& list, DType dtype = DType::float32) {
  return test::make_operands({"", "", list, {}}, dtype);
}

/// Forward, then the gradient from what the forward pass left.
void check_attention(const std::vector<Operand>& list, const Attributes& attributes) {
  const std::vector<Tensor> in = operands(list);
  const std::vector<Tensor> out = run_and_compare(*find_op("attention"), in, attributes);
  ASSERT_EQ(out.size(), 2u);
  const Tensor dy = operands({normal(out[0].shape())})[0];
  std::vector<Tensor> back{dy, in[0], in[1], in[2], out[0], out[1]};
  if (in.size() > 3) back.push_back(in[3]);
  run_and_compare(*find_op("attention_grad"), back, attributes);
}

TEST(AttentionKernel, MergesBlocksOfKeys) {
  check_attention({normal({1, 2, 70, 8}), normal({1, 2, 2100, 8}), normal({1, 2, 2100, 5})}, {});
}

TEST(AttentionKernel, CausalOverSeveralBlocks) {
  check_attention({normal({1, 2, 1100, 4}), normal({1, 1, 1100, 4}), normal({1, 1, 1100, 4})},
                  {{"causal", int64_t{1}}});
}

TEST(AttentionKernel, BlocksWithoutAnySeenKey) {
  const std::vector<Operand> list{normal({1, 1, 3, 4}), normal({1, 1, 2100, 4}), normal({1, 1, 2100, 4}),
                                  flags({3, 2100})};
  std::vector<Tensor> in = operands(list);
  for (int64_t j = 0; j < 2100; ++j) {
    if (j < 1500) in[3].set_flat(j, 0);         // query 0 sees only the last keys,
    if (j >= 600) in[3].set_flat(2100 + j, 0);  // query 1 only the first,
    in[3].set_flat(4200 + j, 0);                // query 2 none
  }
  const std::vector<Tensor> out = run_and_compare(*find_op("attention"), in, {});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].get_flat(8), 0);
  EXPECT_EQ(out[1].get_flat(2), 0);
  const Tensor dy = operands({normal(out[0].shape())})[0];
  run_and_compare(*find_op("attention_grad"), {dy, in[0], in[1], in[2], out[0], out[1], in[3]}, {});
}

/// The gradient of a sum is one number for all results: it is copied out, so that the kernel has rows to read.
TEST(CpuAttention, GradientOfASumIsByAKernelToo) {
  GraphBuilder builder;
  std::vector<ValueId> heads;
  for (const char* name : {"q", "k", "v"})
    heads.push_back(builder.parameter(name, TensorType::contiguous(DType::float32, {1, 2, 20, 8}), kNormal));
  const std::vector<ValueId> gradients = differentiate(
      builder, ops::sum(builder, ops::attention(builder, heads[0], heads[1], heads[2], kNoValue, {}), {}), heads);
  for (const ValueId gradient : gradients) builder.mark_output(gradient);
  const auto graph = std::make_shared<const Graph>(*builder.finish());
  auto backend = cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  const auto plan = Plan::make(graph, **backend, {});
  ASSERT_TRUE(plan.ok());
  (*plan)->run_step(0, nullptr);
  int found = 0;
  for (const Node& node : graph->nodes()) {
    if (node.op->name != "attention_grad") continue;
    ++found;
    EXPECT_EQ(graph->value(node.inputs[0]).type, TensorType::contiguous(DType::float32, {1, 2, 20, 8}));
  }
  EXPECT_EQ(found, 1);
  double weights = 0;  // each query's sum to one, and so do the columns of dv over all queries
  for (int64_t i = 0; i < 2 * 20 * 8; ++i) weights += (*plan)->tensor(gradients[2]).get_flat(i);
  EXPECT_NEAR(weights, 2 * 20 * 8, 1e-3);
}

TEST(AttentionKernel, OneQueryOverManyKeys) {
  check_attention({normal({2, 4, 1, 16}), normal({2, 2, 3000, 16}), normal({2, 2, 3000, 16})},
                  {{"causal", int64_t{1}}});
}

/// Of equals the first, and NaN before all numbers: the one stands where argmax says, in every layout.
TEST(HardmaxKernel, TiesAndNotANumberAreAsInArgmax) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::vector<double>, size_t>> lines{
      {{1, 5, 5, 2}, 1},       {{1, kNone, 7, kNone}, 1},
      {{kNone, 3, 9, 1}, 0},   {{-kInfinity, -kInfinity, -kInfinity, -kInfinity}, 0},
      {{-0.0, 0, -0.0, 0}, 0}, {{kInfinity, 1, kInfinity, kNone}, 3},
      {{-4, -3, -2, -1}, 3}};
  const auto count = static_cast<int64_t>(lines.size());
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16, DType::float16}) {
    for (const bool down : {false, true}) {
      const TensorType rows = TensorType::contiguous(dtype, {count, 4}),
                       columns = TensorType::contiguous(dtype, {4, count});
      const Tensor x = test::make_tensor(down ? columns : rows);
      for (int64_t line = 0; line < count; ++line) {
        for (int64_t i = 0; i < 4; ++i)
          x.set_flat(down ? i * count + line : line * 4 + i,
                     lines[static_cast<size_t>(line)].first[static_cast<size_t>(i)]);
      }
      const std::vector<Tensor> out = run_and_compare(*find_op("hardmax"), {x}, {{"axis", int64_t{down ? 0 : 1}}}, 0);
      ASSERT_EQ(out.size(), 1u);
      const std::vector<double> y = test::values(out[0]);
      for (int64_t line = 0; line < count; ++line) {
        for (int64_t i = 0; i < 4; ++i) {
          const auto place = static_cast<int64_t>(lines[static_cast<size_t>(line)].second);
          EXPECT_EQ(y[static_cast<size_t>(down ? i * count + line : line * 4 + i)], i == place ? 1 : 0)
              << name(dtype) << ", line " << line << ", element " << i;
        }
      }
    }
  }
}

/// NaN among numbers is the extremum, and where it is, on all vector units of this machine: some have comparisons that
/// do not see it.
TEST(Extrema, NotANumberIsTheExtremumOnEveryVectorUnit) {
  const auto check = [](DType dtype, int64_t length, int64_t place) {
    SCOPED_TRACE(testing::Message() << cpu::vector_unit() << ", " << name(dtype) << ", at " << place << " of "
                                    << length);
    const Tensor x = test::make_tensor(TensorType::contiguous(dtype, {1, length}));
    for (int64_t i = 0; i < length; ++i)
      x.set_flat(i, i == place ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(i * i % 23 - 11));
    for (const char* op : {"reduce_max", "reduce_min"}) {
      const std::vector<Tensor> out = run_and_compare(*find_op(op), {x}, {{"axes", std::vector<int64_t>{1}}});
      ASSERT_EQ(out.size(), 1u);
      EXPECT_TRUE(std::isnan(out[0].get_flat(0))) << op;
    }
    for (const char* op : {"argmax", "argmin"}) {
      const std::vector<Tensor> out = run_and_compare(*find_op(op), {x}, {{"axis", int64_t{1}}});
      ASSERT_EQ(out.size(), 1u);
      EXPECT_EQ(out[0].get_flat(0), static_cast<double>(place)) << op;
    }
  };
  int units = 0;
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    hwy::DisableTargets(~(rest & -rest));
    ++units;
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const int64_t length : {5, 70}) {
        for (const int64_t place : {int64_t{0}, length / 2, length - 1}) check(dtype, length, place);
      }
    }
    hwy::DisableTargets(0);
  }
  EXPECT_GE(units, 1);
}

/// All elements `value`, as the dtype has it.
Tensor constant(const TensorType& type, double value) {
  const Tensor tensor = test::make_tensor(type);
  for (int64_t i = 0; i < type.elements(); ++i) tensor.set_flat(i, value);
  return tensor;
}

/// `op` on x of one value: y is exactly the bias, the mean that value, for the sum of equal values may be rounded but
/// their mean is not.
void expect_bias_of_constants(const char* op, const TensorType& type, int64_t channels, double value,
                              const Attributes& attributes) {
  constexpr double kBias = 0.25;  // exact in every dtype
  const TensorType parameters =
      TensorType::contiguous(type.dtype == DType::bfloat16 ? DType::float32 : type.dtype, {channels});
  const std::vector<Tensor> in{constant(type, value), constant(parameters, 1.5), constant(parameters, kBias)};
  const double own = test::values(in[0])[0];
  const std::vector<Tensor> out = run_and_compare(*find_op(op), in, attributes);
  ASSERT_EQ(out.size(), 3u);
  for (const double y : test::values(out[0])) ASSERT_EQ(y, kBias);
  for (const double mean : test::values(out[1])) ASSERT_EQ(mean, own);
  for (const double inverse : test::values(out[2])) ASSERT_NEAR(inverse, 1 / std::sqrt(1e-5), 1e-4);
}

TEST(NormKernels, LinesOfOneValueBecomeTheBias) {
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float64}) {
    for (const double value : {1000.7, 100.3, -0.1, 40000.7, -1e-3, 0.0, 1.1754943e-30}) {
      for (const int64_t length : {1, 3, 8, 63, 197, 768, 3072, 10007}) {
        SCOPED_TRACE(testing::Message() << name(dtype) << ", " << length << " of " << value);
        expect_bias_of_constants("layer_norm", TensorType::contiguous(dtype, {3, length}), length, value,
                                 {{"axis", int64_t{1}}});
      }
      for (const Shape& shape : {Shape{2, 6, 5, 7}, Shape{1, 12, 31, 33}}) {
        SCOPED_TRACE(testing::Message() << name(dtype) << ", " << to_string(shape) << " of " << value);
        const TensorType rows = TensorType::contiguous(dtype, shape), last = TensorType::channels_last(dtype, shape);
        for (const int64_t groups : {int64_t{1}, int64_t{3}, shape[1]}) {
          expect_bias_of_constants("group_norm", rows, shape[1], value, {{"groups", groups}});
          expect_bias_of_constants("group_norm", last, shape[1], value, {{"groups", groups}});
        }
        if (dtype != DType::bfloat16) expect_bias_of_constants("batch_norm_training", last, shape[1], value, {});
      }
      if (HasFatalFailure()) return;
    }
  }
}

/// Values far from zero beside their spread: the mean's rounding would show.
TEST(NormKernels, NearlyConstantLinesKeepTheirDigits) {
  for (const int64_t length : {40, 768, 5000}) {
    const Tensor x = constant(TensorType::contiguous(DType::float32, {2, length}), 4096);
    for (int64_t i = 0; i < 2 * length; i += 2) x.set_flat(i, 4096.0078125);
    const TensorType parameters = TensorType::contiguous(DType::float32, {length});
    run_and_compare(*find_op("layer_norm"), {x, constant(parameters, 1), constant(parameters, 0)},
                    {{"axis", int64_t{1}}}, 0.03);
  }
}

TEST(NormKernels, InfinityIsSeenInTheMean) {
  const Tensor x = constant(TensorType::contiguous(DType::float32, {1, 50}), 2);
  x.set_flat(7, std::numeric_limits<double>::infinity());
  const TensorType parameters = TensorType::contiguous(DType::float32, {50});
  const std::vector<Tensor> out = run_and_compare(
      *find_op("layer_norm"), {x, constant(parameters, 1), constant(parameters, 0)}, {{"axis", int64_t{1}}});
  ASSERT_EQ(out.size(), 3u);
  EXPECT_TRUE(std::isinf(test::values(out[1])[0]));
  for (const double y : test::values(out[0])) EXPECT_TRUE(std::isnan(y));
}

TEST(NormKernels, OverLongAndManyLines) {
  for (const Shape& shape : {Shape{3, 10007}, Shape{1500, 33}}) {
    const int64_t length = shape[1];
    for (const char* name : {"layer_norm", "rms_norm"}) {
      const bool layer = std::string_view(name) == "layer_norm";
      std::vector<Operand> list{normal(shape), normal({length})};
      if (layer) list.push_back(normal({length}));
      const std::vector<Tensor> in = operands(list);
      const Attributes attributes{{"axis", int64_t{1}}};
      const std::vector<Tensor> out = run_and_compare(*find_op(name), in, attributes);
      std::vector<Tensor> back{operands({normal(shape, 0.3)})[0], in[0]};
      for (size_t j = 1; j < out.size(); ++j) back.push_back(out[j]);
      back.push_back(in[1]);
      run_and_compare(*find_op(std::string(name) + "_grad"), back, attributes);
    }
  }
}

TEST(LstmKernel, ForwardsAndBackwards) {
  const int64_t steps = 7, batch = 5, inputs = 33, hidden = 37;
  for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
    const int64_t d = direction == "bidirectional" ? 2 : 1;
    const std::vector<Tensor> in = operands({normal({steps, batch, inputs}), normal({d, 4 * hidden, inputs}, 0.2),
                                             normal({d, 4 * hidden, hidden}, 0.2), normal({d, 4 * hidden}, 0.5),
                                             normal({d, batch, hidden}), normal({d, batch, hidden})});
    Attributes attributes{{"direction", direction}, {"training", int64_t{1}}};
    const std::vector<Tensor> out = run_and_compare(*find_op("lstm"), in, attributes);
    ASSERT_EQ(out.size(), 5u);
    std::vector<Tensor> back = operands(
        {normal(out[0].shape()), {{DType::float64, out[1].shape(), {0, 0, 0}}, kNormal}, normal(out[2].shape())});
    for (const size_t i : {0, 1, 2, 4, 5}) back.push_back(in[i]);
    for (const size_t j : {0, 3, 4}) back.push_back(out[j]);
    run_and_compare(*find_op("lstm_grad"), back, attributes);
    attributes.set("training", int64_t{0});
    run_and_compare(*find_op("lstm"), in, attributes);
  }
}

TEST(StateKernels, ForwardsAndBackwards) {
  const int64_t steps = 7, batch = 5, inputs = 33, hidden = 37;
  for (const std::string name : {"gru", "rnn"}) {
    const int64_t gates = name == "gru" ? 3 : 1, rows = name == "gru" ? 4 : 1;
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
      const int64_t d = direction == "bidirectional" ? 2 : 1;
      const std::vector<Tensor> in = operands({normal({steps, batch, inputs}), normal({d, gates * hidden, inputs}, 0.2),
                                               normal({d, gates * hidden, hidden}, 0.2),
                                               normal({d, rows * hidden}, 0.5), normal({d, batch, hidden})});
      Attributes attributes{{"direction", direction}, {"training", int64_t{1}}};
      const std::vector<Tensor> out = run_and_compare(*find_op(name), in, attributes);
      ASSERT_EQ(out.size(), name == "gru" ? 3u : 2u);
      std::vector<Tensor> back =
          operands({normal(out[0].shape()), {{DType::float64, out[1].shape(), {0, 0, 0}}, kNormal}});
      for (const size_t i : {0, 1, 2, 4}) back.push_back(in[i]);
      back.push_back(out[0]);
      if (name == "gru") back.push_back(out[2]);
      run_and_compare(*find_op(name + "_grad"), back, attributes);
      attributes.set("training", int64_t{0});
      run_and_compare(*find_op(name), in, attributes);
    }
  }
}

}  // namespace
