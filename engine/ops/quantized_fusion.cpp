// SPDX-License-Identifier: Apache-2.0
// Looks from each quantize_linear back to the product before it and to what dequantises its operands.
#include "engine/ops/quantized_fusion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/graph/builder.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/ops/quantized.h"
#include "engine/tensor/tensor.h"

namespace engine {
namespace {

class Folding {
 public:
  explicit Folding(const Graph& graph)
      : graph_(graph),
        readers_(graph.values().size(), 0),
        roots_(graph.values().size()),
        writers_(graph.values().size()),
        gone_(graph.nodes().size(), false) {
    std::iota(roots_.begin(), roots_.end(), ValueId{0});
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.inputs) ++readers_[id];
      if (node.op->view != nullptr) roots_[node.outputs[0]] = roots_[node.inputs[0]];
      for (size_t j = 0; j < std::min(node.op->in_place.size(), node.outputs.size()); ++j) {
        if (node.op->in_place[j] < 0) continue;
        const ValueId root = roots_[node.outputs[j]] = roots_[node.inputs[static_cast<size_t>(node.op->in_place[j])]];
        writers_[root].push_back(node.id);
      }
    }
    for (const ValueId id : graph.outputs()) ++readers_[id];
  }

  std::optional<Graph> run() {
    std::vector<Node> nodes;
    bool any = false;
    for (const Node& node : graph_.nodes()) {
      std::optional<Node> folded = node.op == &ops::kQuantizeLinear ? fold(node) : std::nullopt;
      any = any || folded.has_value();
      nodes.push_back(folded ? *std::move(folded) : node);
    }
    if (!any) return std::nullopt;
    std::erase_if(nodes, [this](const Node& node) { return gone_[node.id]; });
    GraphBuilder builder(graph_);
    builder.replace_nodes(std::move(nodes));
    Result<Graph> result = builder.finish();
    CHECK(result.ok());  // each node stands where the last of those stood that it replaces
    return *std::move(result);
  }

 private:
  /// Whoever makes a value, where nobody else reads it: so that it goes when its reader does.
  const Node* maker(ValueId value) const {
    const NodeId id = graph_.value(value).producer;
    return id == kNoNode || readers_[value] != 1 || graph_.node(id).phase != Phase::forward ? nullptr
                                                                                            : &graph_.node(id);
  }
  /// Of a dequantised operand; others may read it, too.
  const Node* dequantized(ValueId value) const {
    const NodeId id = graph_.value(value).producer;
    return id != kNoNode && graph_.node(id).op == &ops::kDequantizeLinear ? &graph_.node(id) : nullptr;
  }
  const TensorType& type(ValueId id) const { return graph_.value(id).type; }
  bool is_bytes(ValueId id) const { return type(id).dtype == DType::uint8 || type(id).dtype == DType::int8; }
  bool is_one_number(ValueId id) const { return type(id).elements() == 1; }
  /// Number `i` of a value that stays as it is, or the one that stands for all; NaN: nobody knows before the graph
  /// runs.
  double number(ValueId id, int64_t i) const {
    if (is_one_number(roots_[id])) id = roots_[id];  // expanded
    const Value& value = graph_.value(id);
    const bool as_it_is = writers_[id].empty();
    if (as_it_is && value.kind == ValueKind::constant && value.data.defined())
      return value.data.get_flat(value.type.elements() == 1 ? 0 : i);
    const bool stays = as_it_is && (value.kind == ValueKind::parameter || value.kind == ValueKind::state);
    if (stays && value.fill.kind == Fill::Kind::zeros) return 0;
    if (stays && value.fill.kind == Fill::Kind::ones) return 1;
    return stays && value.fill.kind == Fill::Kind::constant ? value.fill.a : std::numeric_limits<double>::quiet_NaN();
  }

  /// One scale for all.
  bool is_plain(const Node& linear) const { return is_one_number(linear.inputs[1]) && is_one_number(linear.inputs[2]); }
  /// One scale for all, or one for each index of `axis`.
  bool is_along(const Node& linear, int64_t axis) const {
    if (is_plain(linear)) return true;
    const int64_t rank = type(linear.inputs[0]).rank(), given = linear.attributes.get_int("axis", 1);
    return (given < 0 ? given + rank : given) == axis;
  }
  /// i32 in units of the products of the scales, with zero points of 0: all constants, so that it can be told.
  bool is_bias_of(const Node& bias, ValueId x_scale, ValueId w_scale) const {
    if (type(bias.inputs[0]).dtype != DType::int32 || type(bias.inputs[0]).rank() != 1) return false;
    constexpr double kRoundings = 1e-6;  // the scales' product in f32
    const int64_t channels = type(bias.inputs[0]).elements();
    for (const ValueId id : {bias.inputs[1], bias.inputs[2], w_scale}) {
      if (type(id).elements() != 1 && type(id).elements() != channels) return false;
    }
    for (int64_t i = 0; i < channels; ++i) {
      const double wanted = number(x_scale, 0) * number(w_scale, i);
      if (!(std::abs(number(bias.inputs[1], i) - wanted) <= kRoundings * std::abs(wanted)) ||
          number(bias.inputs[2], i) != 0)
        return false;
    }
    return true;
  }
  /// Whether what a dequantisation reads is still there for `reader`, behind it: nobody has written over it by then.
  bool lasts(const Node& linear, const Node& reader) const {
    return std::ranges::none_of(linear.inputs, [&](ValueId id) {
      return std::ranges::any_of(writers_[roots_[id]],
                                 [&](NodeId writer) { return writer > linear.id && writer < reader.id; });
    });
  }
  bool cuts_below_zero(const Node& quantize) const {
    return number(quantize.inputs[2], 0) == (type(quantize.inputs[2]).dtype == DType::int8 ? -128 : 0);
  }

  std::optional<Node> fold(const Node& quantize) {
    if (quantize.phase != Phase::forward || !is_plain(quantize)) return std::nullopt;
    const Node *product = maker(quantize.inputs[0]), *relu = nullptr;
    if (product != nullptr && product->op == &ops::kRelu && cuts_below_zero(quantize)) {
      relu = product;
      product = maker(relu->inputs[0]);
    }
    if (product == nullptr) return std::nullopt;
    std::optional<Node> folded = folded_product(*product, quantize);
    if (!folded) return std::nullopt;
    gone_[product->id] = true;
    if (relu != nullptr) gone_[relu->id] = true;
    for (const ValueId operand : product->inputs) release(operand);
    return folded;
  }
  /// One reader less; whoever made it goes with the last, and what it read alone through a view.
  void release(ValueId value) {
    if (--readers_[value] != 0) return;
    const Node& maker = graph_.node(graph_.value(value).producer);
    gone_[maker.id] = true;
    if (maker.op->view != nullptr) release(maker.inputs[0]);
  }
  /// The matrix that a value is the transposed view of, and nobody else's.
  std::optional<ValueId> transposed(ValueId value) const {
    const Node* view = maker(value);
    if (view == nullptr || view->op->view == nullptr) return std::nullopt;
    const TensorType &out = type(value), &in = type(view->inputs[0]);
    if (in.rank() != 2 || out.shape != Shape{in.shape[1], in.shape[0]} ||
        out.strides != Strides{in.strides[1], in.strides[0]})
      return std::nullopt;
    return view->inputs[0];
  }

  std::optional<Node> folded_product(const Node& product, const Node& quantize) const {
    const bool is_conv = product.op == &ops::kConv2d;
    const bool is_linear = product.op == &ops::kLinear;
    if (!is_conv && !is_linear && product.op != &ops::kMatmul) return std::nullopt;
    const auto weights = is_linear ? transposed(product.inputs[1]) : std::optional(product.inputs[1]);
    if (!weights) return std::nullopt;
    const Node *x = dequantized(product.inputs[0]), *w = dequantized(*weights);
    if (x == nullptr || w == nullptr || !is_bytes(x->inputs[0]) || !is_bytes(w->inputs[0]) || !is_plain(*x))
      return std::nullopt;
    if (!is_conv && type(w->inputs[0]).rank() != 2) return std::nullopt;
    if (!is_along(*w, is_conv ? 0 : 1) || !lasts(*x, quantize) || !lasts(*w, quantize)) return std::nullopt;
    Node node{.op = is_conv ? &ops::kQlinearConv : &ops::kQlinearMatmul,
              .attributes = is_conv ? product.attributes : Attributes{},
              .inputs = x->inputs,
              .outputs = quantize.outputs,
              .layer = product.layer};
    node.id = quantize.id;
    node.inputs.insert(node.inputs.end(), w->inputs.begin(), w->inputs.end());
    node.inputs.insert(node.inputs.end(), quantize.inputs.begin() + 1, quantize.inputs.end());
    if (product.inputs.size() > 2) {
      const Node* bias = dequantized(product.inputs[2]);
      if (bias == nullptr || !is_bias_of(*bias, x->inputs[1], w->inputs[1]) || !lasts(*bias, quantize))
        return std::nullopt;
      node.inputs.push_back(bias->inputs[0]);
    }
    const auto types = node.op->infer(graph_.input_types(node), node.attributes);
    if (!types || (*types)[0] != type(quantize.outputs[0])) return std::nullopt;
    return node;
  }

  const Graph& graph_;
  std::vector<int> readers_;                  ///< by value: nodes that read it, and whether it is a result
  std::vector<ValueId> roots_;                ///< by value: whose bytes these are
  std::vector<std::vector<NodeId>> writers_;  ///< by root: who writes over it in place
  std::vector<bool> gone_;                    ///< by node
};

}  // namespace

std::optional<Graph> fold_quantized(const Graph& graph) { return Folding(graph).run(); }

}  // namespace engine
