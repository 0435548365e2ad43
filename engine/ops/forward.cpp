// SPDX-License-Identifier: Apache-2.0
// Walks a graph forwards; each op's tangent function appends its part, which is then moved behind the op.
#include "engine/ops/forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/graph/tangent.h"
#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/ops/phase_scope.h"
#include "engine/ops/tangents.h"

namespace engine {
namespace {

/// More passes than this are no graph anybody can look at.
constexpr int64_t kMostPasses = 4096;

/// For each value: whether some output is computed from it.
std::vector<bool> values_needed(const Graph& graph, std::span<const ValueId> outputs) {
  std::vector<bool> needed(graph.values().size(), false);
  for (const ValueId id : outputs) needed[id] = true;
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    if (std::ranges::none_of(node.outputs, [&](ValueId id) { return needed[id]; })) continue;
    for (const ValueId id : node.inputs) needed[id] = true;
  }
  return needed;
}

/// Tangent nodes carry the role of derivatives; views keep that of what they view.
void set_roles(GraphBuilder& builder, size_t first_node) {
  for (size_t i = first_node; i < builder.graph().nodes().size() && !builder.failed(); ++i) {
    const Node node = builder.graph().nodes()[i];
    const Role role = node.op->view != nullptr ? builder.graph().value(node.inputs[0]).role : Role::gradient;
    for (const ValueId id : node.outputs) builder.set_role(id, role);
  }
}

/// Appends the tangents of one node's outputs and notes them.
void differentiate_node(GraphBuilder& builder, const Node& node, const std::vector<bool>& needed,
                        std::vector<ValueId>& tangents) {
  std::vector<ValueId> reached;
  for (const ValueId id : node.inputs) reached.push_back(tangents[id]);
  std::vector<bool> wanted;
  for (const ValueId id : node.outputs) wanted.push_back(needed[id] && is_floating(builder.type(id).dtype));
  if (std::ranges::all_of(reached, [](ValueId id) { return id == kNoValue; }) ||
      std::ranges::find(wanted, true) == wanted.end())
    return;
  if (node.op->tangent == nullptr) {
    builder.fail(usage_error(
        fmt::format("[forward_differentiate] op {} in layer \"{}\" has no tangent rule, but the outputs depend on it",
                    node.op->name, node.layer)));
    return;
  }
  builder.set_layer(node.layer);
  builder.set_phase(node.phase);
  const size_t first = builder.graph().nodes().size();
  TangentContext context(builder, node, std::move(reached), std::move(wanted));
  node.op->tangent(context);
  set_roles(builder, first);
  if (builder.failed()) return;
  for (size_t j = 0; j < node.outputs.size(); ++j) {
    const ValueId tangent = context.output_tangents()[j];
    if (tangent == kNoValue) continue;
    CHECK(builder.type(tangent).shape == builder.type(node.outputs[j]).shape &&
          builder.type(tangent).dtype == builder.type(node.outputs[j]).dtype);
    tangents[node.outputs[j]] = tangent;
  }
}

/// Puts every appended node behind its primal node: as early as its operands allow. place[i]: the primal node's
/// position.
void interleave(GraphBuilder& builder, std::span<const ValueId> seeds, std::vector<size_t> place) {
  const Graph& graph = builder.graph();
  // Views run nothing and move nothing: those that make a seed may stand before the primal nodes.
  std::vector<bool> movable(graph.nodes().size(), false);
  for (ValueId id : seeds) {
    while (graph.value(id).producer != kNoNode && graph.node(graph.value(id).producer).op->view != nullptr) {
      movable[graph.value(id).producer] = true;
      id = graph.node(graph.value(id).producer).inputs[0];
    }
  }
  const auto key_of_producer = [&](ValueId id) {
    const NodeId producer = graph.value(id).producer;
    return producer == kNoNode ? size_t{0} : place[producer];
  };
  for (const Node& node : graph.nodes()) {
    if (movable[node.id]) place[node.id] = key_of_producer(node.inputs[0]);
    for (const ValueId id : node.inputs) place[node.id] = std::max(place[node.id], key_of_producer(id));
  }
  std::vector<NodeId> order(graph.nodes().size());
  std::iota(order.begin(), order.end(), NodeId{0});
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return place[id]; });
  builder.reorder(order);
}

bool check_direction(GraphBuilder& builder, std::span<const ValueId> inputs, std::span<const ValueId> tangents) {
  CHECK(inputs.size() == tangents.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorType &x = builder.type(inputs[i]), &dx = builder.type(tangents[i]);
    if (is_floating(x.dtype) && x.dtype == dx.dtype && x.shape == dx.shape) continue;
    builder.fail(usage_error(
        fmt::format("[forward_differentiate] input \"{}\" is {}, its tangent is {}: both must be one floating type",
                    builder.graph().value(inputs[i]).name, to_string(x), to_string(dx))));
    return false;
  }
  return true;
}

/// The n x n identity as rows of the shape and dtype of `type`: views of one constant.
std::vector<ValueId> unit_directions(GraphBuilder& builder, TensorType type, const char* what) {
  if (builder.failed()) return {};
  const int64_t count = type.elements();
  if (!is_floating(type.dtype) || count > kMostPasses) {
    builder.fail(refused_error(
        fmt::format("[jacobian] {} is {}: a Jacobian takes one pass for each of at most {} floating-point elements",
                    what, to_string(type), kMostPasses)));
    return {};
  }
  // Row i of the identity is a stretch of one long row of zeros around a single 1.
  std::vector<double> values(static_cast<size_t>(std::max<int64_t>(2 * count - 1, 0)), 0.0);
  if (count > 0) values[static_cast<size_t>(count - 1)] = 1;
  const Result<Tensor> line = Tensor::from_values({static_cast<int64_t>(values.size())}, values, type.dtype);
  if (!line) {
    builder.fail(line.error());
    return {};
  }
  const ValueId unit = builder.constant("unit_direction", *line, Role::gradient);
  std::vector<ValueId> rows;
  for (int64_t i = 0; i < count && !builder.failed(); ++i) {
    const ValueId row = ops::slice(builder, unit, 0, count - 1 - i, 2 * count - 1 - i);
    rows.push_back(ops::reshape(builder, row, type.shape));
  }
  return rows;
}

}  // namespace

std::vector<ValueId> forward_differentiate(GraphBuilder& builder, std::span<const ValueId> outputs,
                                           std::span<const ValueId> inputs, std::span<const ValueId> tangents) {
  std::vector<ValueId> result(outputs.size(), kNoValue);
  if (builder.failed() || !check_direction(builder, inputs, tangents)) return result;
  const std::vector<bool> needed = values_needed(builder.graph(), outputs);
  std::vector<ValueId> reached(builder.graph().values().size(), kNoValue);
  for (size_t i = 0; i < inputs.size(); ++i) reached[inputs[i]] = tangents[i];
  const size_t primal_nodes = builder.graph().nodes().size();
  std::vector<size_t> place(primal_nodes);
  std::iota(place.begin(), place.end(), size_t{0});
  {
    const PhaseScope scope(builder, builder.phase());
    for (size_t i = 0; i < primal_nodes && !builder.failed(); ++i) {
      const Node node = builder.graph().nodes()[i];  // a copy: the builder's nodes move
      const bool given = std::ranges::any_of(node.outputs, [&](ValueId id) { return reached[id] != kNoValue; });
      if (!given) differentiate_node(builder, node, needed, reached);
      place.resize(builder.graph().nodes().size(), i);
    }
  }
  if (builder.failed()) return result;
  for (size_t i = 0; i < outputs.size(); ++i) result[i] = reached[outputs[i]];
  interleave(builder, tangents, std::move(place));
  return result;
}

std::vector<ValueId> jacobian_forward(GraphBuilder& builder, ValueId y, ValueId x) {
  std::vector<ValueId> columns;
  if (builder.failed()) return columns;
  const TensorType type = builder.type(y);
  for (const ValueId direction : unit_directions(builder, builder.type(x), "x")) {
    const ValueId column = forward_differentiate(builder, {&y, 1}, {&x, 1}, {&direction, 1})[0];
    columns.push_back(column == kNoValue ? ops::zeros_like(builder, type) : column);
  }
  return columns;
}

std::vector<ValueId> jacobian_reverse(GraphBuilder& builder, ValueId y, ValueId x) {
  std::vector<ValueId> rows;
  if (builder.failed()) return rows;
  const TensorType type = builder.type(x);
  for (const ValueId direction : unit_directions(builder, builder.type(y), "y")) {
    const ValueId row = differentiate_along(builder, y, direction, {&x, 1})[0];
    rows.push_back(row == kNoValue ? ops::zeros_like(builder, type) : row);
  }
  return rows;
}

}  // namespace engine
