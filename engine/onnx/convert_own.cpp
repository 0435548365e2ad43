// SPDX-License-Identifier: Apache-2.0
// Operators of our own domain: ops under their own names, with the attributes that an op can have.
#include <fmt/format.h>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/text.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

constexpr size_t kMostText = 4096;

/// A real is a tensor of one f64: ONNX's own have 32 bits.
double read_real(NodeContext& node, const std::string& key) {
  const std::optional<Tensor> value = node.tensor(key);
  if (value && value->dtype() == DType::float64 && value->type().elements() == 1) return value->get_flat(0);
  if (!node.failed()) node.fail(fmt::format("attribute {}: is no f64 scalar", key));
  return 0;
}

void read_attribute(NodeContext& node, const std::string& key, Attributes& all) {
  const std::optional<AttributeKind> kind = attribute_kind(key);
  if (!kind) return node.fail(fmt::format("attribute {}: is no attribute of any op", in_quotes(key)));
  switch (*kind) {
    case AttributeKind::whole: return all.set(key, node.integer(key, 0, kLowestInt, kHighestInt));
    case AttributeKind::real: return all.set(key, read_real(node, key));
    case AttributeKind::list: return all.set(key, node.integers(key, {}, kLowestInt, kHighestInt));
    case AttributeKind::text: {
      std::string text = node.text(key, "");
      if (text.size() > kMostText) node.fail(fmt::format("attribute {}: has over {} characters", key, kMostText));
      return all.set(key, std::move(text));
    }
  }
}

}  // namespace

void convert_own(NodeContext& node) {
  const Op& op = *find_op(node.op_type());  // the table of operators has asked
  Attributes attributes;
  for (const std::string& key : node.attribute_names()) read_attribute(node, key, attributes);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  if (!node.failed() && op.view != nullptr && inputs.size() != 1)
    node.fail(fmt::format("has {} inputs, {} takes 1", inputs.size(), op.name));
  if (node.failed()) return;
  const std::vector<ValueId> outputs =
      node.builder().append(op, std::move(inputs), std::move(attributes), node.output_name(0));
  if (node.failed()) return;
  if (node.output_count() > outputs.size())
    return node.fail(fmt::format("has {} outputs, {} makes {}", node.output_count(), op.name, outputs.size()));
  for (size_t i = 0; i < node.output_count(); ++i) node.set_output(outputs[i], i);
}

}  // namespace engine::onnx
