// SPDX-License-Identifier: Apache-2.0
// What ops say of their attributes and of their part in fusion, held against examples, references and building
// functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>

#include "engine/ops/fused.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using test::op_examples;
using test::OpExample;

std::vector<TensorType> types_of(const OpExample& example) {
  std::vector<TensorType> types;
  for (const test::Operand& operand : example.inputs) types.push_back(operand.type);
  return types;
}

std::vector<uint64_t> bits(const Tensor& tensor) {
  std::vector<uint64_t> all;
  for (const double value : test::values(tensor)) all.push_back(std::bit_cast<uint64_t>(value));
  return all;
}

TEST(Attributes, AKeyIsOfOneKindInAllOps) {
  std::map<std::pair<std::string_view, bool>, AttributeKind> kinds;
  for (const Op* op : op_catalog()) {
    std::set<std::string_view> keys;
    for (const AttributeSpec& spec : op->attributes) {
      EXPECT_TRUE(keys.insert(spec.key).second) << op->name << " names " << spec.key << " twice";
      const auto [known, is_new] = kinds.insert({{spec.key, spec.per_axis}, spec.kind});
      EXPECT_EQ(known->second, spec.kind) << op->name << ", " << spec.key;
      if (spec.fallback) {
        EXPECT_EQ(spec.fallback->index(), static_cast<size_t>(spec.kind)) << op->name << ", " << spec.key;
      }
      EXPECT_EQ(attribute_kind(spec.per_axis ? std::string(spec.key) + "_12" : std::string(spec.key)), spec.kind)
          << spec.key;
    }
  }
  EXPECT_GT(kinds.size(), 70u);
}

TEST(Attributes, KeysOfNoOpAndOfNoAxisHaveNoKind) {
  EXPECT_EQ(attribute_kind("beta1"), AttributeKind::real) << "no number of an axis";
  for (const char* key : {"", "_", "_1", "wings", "roi_start", "roi_start_", "roi_start_x", "epsilon_1", "1"}) {
    EXPECT_EQ(attribute_kind(key), std::nullopt) << key;
  }
}

/// Gradient ops are handed the attributes of their forward op, too.
TEST(Attributes, ThatAnOpDoesNotNameChangeNothing) {
  for (const OpExample& example : op_examples()) {
    const Op& op = *find_op(example.op);
    if (op.program != nullptr) continue;  // it has those of its members
    SCOPED_TRACE(testing::Message() << op.name << " (" << example.label << ")");
    Attributes named;
    for (const auto& [key, item] : example.attributes.items()) {
      const auto kind = attribute_kind(key);
      ASSERT_TRUE(kind.has_value()) << key;
      EXPECT_EQ(item.index(), static_cast<size_t>(*kind)) << key;
      const auto names = [&](const AttributeSpec& spec) {
        return spec.per_axis ? key.starts_with(std::string(spec.key) + "_") : key == spec.key;
      };
      if (std::ranges::any_of(op.attributes, names)) named.set(key, item);
    }
    if (named == example.attributes) continue;
    const auto wanted = op.infer(types_of(example), example.attributes), got = op.infer(types_of(example), named);
    ASSERT_TRUE(wanted.ok() && got.ok());
    EXPECT_EQ(*got, *wanted);
    if (op.reference == nullptr) continue;
    const std::vector<Tensor> operands = test::make_operands(example);
    const auto with = test::run_reference(op, operands, example.attributes),
               without = test::run_reference(op, operands, named);
    for (size_t i = 0; i < with.size(); ++i) EXPECT_EQ(bits(without[i]), bits(with[i]));
  }
}

/// Shapes, costs and references read a missing attribute as Op::attributes says.
TEST(Attributes, ADefaultLeftOutIsADefaultSaid) {
  std::set<std::pair<std::string_view, std::string_view>> tried;
  for (const OpExample& example : op_examples()) {
    const Op& op = *find_op(example.op);
    for (const AttributeSpec& spec : op.attributes) {
      if (!spec.fallback || example.attributes.has(spec.key) || !tried.insert({op.name, spec.key}).second) continue;
      SCOPED_TRACE(testing::Message() << op.name << " (" << example.label << "), " << spec.key);
      Attributes said = example.attributes;
      said.set(std::string(spec.key), *spec.fallback);
      const std::vector<TensorType> inputs = types_of(example);
      const auto wanted = op.infer(inputs, example.attributes), got = op.infer(inputs, said);
      ASSERT_TRUE(wanted.ok() && got.ok());
      EXPECT_EQ(*got, *wanted);
      EXPECT_EQ(op.cost({said, inputs, *got}).flops, op.cost({example.attributes, inputs, *wanted}).flops);
      if (op.reference == nullptr) continue;
      const std::vector<Tensor> operands = test::make_operands(example);
      const auto left_out = test::run_reference(op, operands, example.attributes),
                 outputs = test::run_reference(op, operands, said);
      for (size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(bits(outputs[i]), bits(left_out[i]));
    }
  }
  EXPECT_GT(tried.size(), 25u);
}

TEST(Attributes, AreNumbersInTheOrderOfTheOp) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(attribute_numbers(ops::kClip, {{"max", 3.0}}), (std::vector<double>{-infinity, 3}));
  EXPECT_EQ(attribute_numbers(ops::kShrinkGrad, {}), (std::vector<double>{0, 0.5}));
  EXPECT_EQ(attribute_numbers(ops::kGelu, {}), std::vector<double>{0});
  EXPECT_EQ(attribute_numbers(ops::kGeluGrad, {{"approximate", std::string("tanh")}}), std::vector<double>{1});
  EXPECT_EQ(attribute_numbers(*find_op("is_inf"), {{"detect_negative", int64_t{0}}}), (std::vector<double>{1, 0}));
  EXPECT_EQ(attribute_numbers(*find_op("sgd_momentum"), {{"rate", 0.5}, {"nesterov", int64_t{1}}}),
            (std::vector<double>{0.5, 0, 0, 1}));
  EXPECT_EQ(attribute_numbers(*find_op("max_pool2d"), {{"kernel", std::vector<int64_t>{2, 2}}}),
            std::vector<double>{0});  // lists are left out
}

TEST(FusionPart, FollowsFromTheOpWhereItSaysNothing) {
  const auto part = [](std::string_view op) { return fusion_part(*find_op(op)); };
  EXPECT_EQ(part("reshape"), FusionPart::view);
  EXPECT_EQ(part("sgd"), FusionPart::update);
  EXPECT_EQ(part("conv2d_grad_input"), FusionPart::library_call);
  EXPECT_EQ(part("conv2d"), FusionPart::product);
  EXPECT_EQ(part("layer_norm"), FusionPart::normalization);
  EXPECT_EQ(part("mean"), FusionPart::reduction);
  EXPECT_EQ(part("mish_grad"), FusionPart::elementwise);
  EXPECT_EQ(part("cast"), FusionPart::elementwise);
  EXPECT_EQ(part("bitwise_and"), FusionPart::none);
  EXPECT_EQ(part("gather"), FusionPart::none);
  EXPECT_EQ(fusion_part(ops::kFused), FusionPart::elementwise);
  for (const Op* op : op_catalog()) EXPECT_TRUE(op->elementwise || op->fusion != FusionPart::elementwise) << op->name;
}

TEST(Apply, AppendsTheOpOfThatName) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {3}), {});
  const ValueId y = ops::apply(builder, "elu", x, {{"alpha", 2.0}});
  builder.mark_output(y);
  const auto graph = builder.finish();
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->nodes().back().op->name, "elu");
  EXPECT_EQ(graph->nodes().back().attributes.get_double("alpha", 1), 2);
}

}  // namespace
