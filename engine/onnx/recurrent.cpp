// SPDX-License-Identifier: Apache-2.0
// Reads RNN, GRU and LSTM nodes.
#include "engine/onnx/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent.h"

namespace engine::onnx {
namespace {

struct Defaults {
  std::string_view name;
  int parameters;  ///< 0, 1 (alpha) or 2
  double alpha, beta;
};
constexpr std::array<Defaults, 11> kFunctions{{{"sigmoid", 0, 0, 0},
                                               {"tanh", 0, 0, 0},
                                               {"relu", 0, 0, 0},
                                               {"softsign", 0, 0, 0},
                                               {"softplus", 0, 0, 0},
                                               {"affine", 2, 1, 0},
                                               {"leakyrelu", 1, 0.01, 0},
                                               {"thresholdedrelu", 1, 1, 0},
                                               {"scaledtanh", 2, 1, 1},
                                               {"hardsigmoid", 2, 0.2, 0.5},
                                               {"elu", 1, 1, 0}}};

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The activations of all directions; alphas and betas go to those that take them, in order.
void read_activations(NodeContext& node, const std::vector<std::string>& usual, Recurrent& layer) {
  std::vector<std::string> names = node.texts("activations");
  const std::vector<double> alphas = node.reals("activation_alpha", {}), betas = node.reals("activation_beta", {});
  layer.functions = usual.size();
  if (names.empty()) {
    for (int64_t d = 0; d < layer.directions; ++d) names.insert(names.end(), usual.begin(), usual.end());
  }
  if (names.size() != usual.size() * static_cast<size_t>(layer.directions)) {
    return node.fail(fmt::format("attribute activations: has {} entries, must have {} for each direction", names.size(),
                                 usual.size()));
  }
  size_t alpha = 0, beta = 0;
  for (const std::string& given : names) {
    Activation activation{small_letters(given)};
    const auto* known = std::ranges::find(kFunctions, std::string_view(activation.name), &Defaults::name);
    if (known == kFunctions.end())
      return node.fail(fmt::format("attribute activations: {} is not supported", given.substr(0, 40)));
    activation.alpha = known->parameters >= 1 && alpha < alphas.size() ? alphas[alpha++] : known->alpha;
    activation.beta = known->parameters == 2 && beta < betas.size() ? betas[beta++] : known->beta;
    layer.activations.push_back(activation);
  }
}

ValueId optional_input(NodeContext& node, size_t i) { return node.has_input(i) ? node.input(i) : kNoValue; }

/// All directions have the usual activations (of the simple network, one that our op has).
bool usual_activations(const Recurrent& layer, const std::vector<std::string>& usual) {
  for (size_t i = 0; i < layer.activations.size(); ++i) {
    const std::string& name = layer.activations[i].name;
    if (layer.gates == 1 ? name != "relu" && name != "tanh" : name != small_letters(usual[i % usual.size()]))
      return false;
    if (layer.gates == 1 && name != layer.activations[0].name) return false;
  }
  return true;
}

/// ONNX' gates i o f c as i f c o, in `blocks` lots of 4 (B has those of W and those of R).
constexpr std::array<int64_t, 4> kGates{0, 2, 3, 1};

Result<Tensor> with_gates_reordered(const Tensor& tensor, int64_t blocks) {
  Result<Tensor> result = Tensor::empty(tensor.type());
  const int64_t rows = tensor.shape()[1] / (4 * blocks);
  for (int64_t block = 0; block < 4 * blocks && result; ++block) {
    const int64_t from = (block / 4 * 4 + kGates[static_cast<size_t>(block % 4)]) * rows, to = block * rows;
    const Result<Tensor> source = tensor.slice(1, from, from + rows), target = result->slice(1, to, to + rows);
    CHECK(source.ok() && target.ok());
    copy_elements(*source, *target);
  }
  return result;
}

/// Input i [D, blocks * 4 H, ...] in our LSTM's order: constants are rewritten, others joined anew in each step.
ValueId reordered_input(NodeContext& node, size_t i, int64_t blocks) {
  const TensorType type = node.input_type(i);
  if (!node.failed() && (type.rank() < 2 || type.shape[1] % (4 * blocks) != 0))
    node.fail(fmt::format("input {} is {}; its second axis must hold the gates", i, to_string(type)));
  const Slot* slot = node.input_slot(i);
  if (node.failed()) return kNoValue;
  if (slot->constant && slot->constant->uniform) return node.input(i);
  if (slot->constant) return constant_of(node, with_gates_reordered(slot->constant->data, blocks));
  const ValueId value = node.input(i);
  const int64_t rows = type.shape[1] / (4 * blocks);
  std::vector<ValueId> parts;
  for (int64_t block = 0; block < 4 * blocks && !node.failed(); ++block) {
    const int64_t from = (block / 4 * 4 + kGates[static_cast<size_t>(block % 4)]) * rows;
    parts.push_back(ops::slice(node.builder(), value, 1, from, from + rows));
  }
  return node.failed() ? kNoValue : ops::concat(node.builder(), parts, 1);
}

/// Holds a value against the shape it must have.
void check_shape(NodeContext& node, ValueId value, const Shape& wanted, std::string_view what) {
  if (value == kNoValue || node.failed()) return;
  const Shape& shape = node.builder().type(value).shape;
  if (shape != wanted) node.fail(fmt::format("{} is {}, must be {}", what, to_string(shape), to_string(wanted)));
}

void check_shapes(NodeContext& node, const Recurrent& layer) {
  const int64_t d = layer.directions, h = layer.hidden, n = layer.gates;
  check_shape(node, layer.w, {d, n * h, layer.inputs}, "input 1 (W)");
  check_shape(node, layer.r, {d, n * h, h}, "input 2 (R)");
  check_shape(node, layer.bias, {d, 2 * n * h}, "input 3 (B)");
  check_shape(node, layer.lengths, {layer.batch}, "input 4 (sequence_lens)");
  check_shape(node, layer.initial_h, {d, layer.batch, h}, "input 5 (initial_h)");
  check_shape(node, layer.initial_c, {d, layer.batch, h}, "input 6 (initial_c)");
  check_shape(node, layer.peepholes, {d, 3 * h}, "input 7 (P)");
}

/// Sequences that all run to the end need no masks.
bool all_full(NodeContext& node, int64_t steps) {
  const std::optional<Tensor> lengths = node.constant_tensor(4);
  if (!lengths) return false;
  for (int64_t i = 0; i < lengths->type().elements(); ++i) {
    if (lengths->get_flat(i) != static_cast<double>(steps)) return false;
  }
  return true;
}

Recurrent read_layer(NodeContext& node, int64_t gates, const std::vector<std::string>& usual) {
  Recurrent layer;
  layer.gates = gates;
  layer.direction = node.text("direction", "forward");
  if (layer.direction != "forward" && layer.direction != "reverse" && layer.direction != "bidirectional")
    node.fail("attribute direction: must be forward, reverse or bidirectional");
  layer.directions = layer.direction == "bidirectional" ? 2 : 1;
  layer.clip = node.real("clip", 0);
  layer.batch_first = node.flag("layout", false);
  node.ignore("output_sequence");  // of opset 1: outputs are there by name
  read_activations(node, usual, layer);
  layer.input_forget = gates == 4 && node.flag("input_forget", false);
  layer.linear_before_reset = gates == 3 && node.flag("linear_before_reset", false);
  layer.x = node.input(0);
  if (!node.failed() && node.builder().type(layer.x).rank() == 3) {
    const int64_t steps = node.builder().type(layer.x).shape[layer.batch_first ? 1 : 0];
    if (node.has_input(4) && !all_full(node, steps)) layer.lengths = node.input(4);
  }
  layer.plain = layer.lengths == kNoValue && layer.clip == 0 && !layer.input_forget &&
                !(gates == 4 && node.has_input(7)) && !node.failed() && usual_activations(layer, usual);
  const bool reorder = layer.plain && gates == 4;
  layer.w = reorder ? reordered_input(node, 1, 1) : node.input(1);
  layer.r = reorder ? reordered_input(node, 2, 1) : node.input(2);
  if (node.has_input(3)) layer.bias = reorder ? reordered_input(node, 3, 2) : node.input(3);
  layer.initial_h = optional_input(node, 5);
  if (gates == 4) {
    layer.initial_c = optional_input(node, 6);
    layer.peepholes = optional_input(node, 7);
  }
  if (node.failed()) return layer;
  GraphBuilder& builder = node.builder();
  if (builder.type(layer.x).rank() != 3 || builder.type(layer.r).rank() != 3) {
    node.fail("inputs X and R must have three axes");
    return layer;
  }
  if (layer.batch_first) {
    for (ValueId* value : {&layer.x, &layer.initial_h, &layer.initial_c}) {
      if (*value != kNoValue) *value = ops::transpose(builder, *value, 0, 1);
    }
  }
  if (node.failed()) return layer;
  const TensorType x = builder.type(layer.x);
  layer.dtype = x.dtype;
  layer.steps = x.shape[0];
  layer.batch = x.shape[1];
  layer.inputs = x.shape[2];
  layer.hidden = builder.type(layer.r).shape[2];
  const int64_t hidden = node.integer("hidden_size", layer.hidden, 1, kHighestInt);
  if (hidden != layer.hidden)
    node.fail(fmt::format("attribute hidden_size: {} differs from R's {}", hidden, layer.hidden));
  check_shapes(node, layer);
  return layer;
}

}  // namespace

void set_recurrent_outputs(NodeContext& node, const Recurrent& layer, ValueId y, ValueId h, ValueId c) {
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  if (layer.batch_first) {
    y = ops::permute(builder, y, {2, 0, 1, 3});
    h = ops::transpose(builder, h, 0, 1);
    if (c != kNoValue) c = ops::transpose(builder, c, 0, 1);
  }
  node.set_output(y);
  node.set_output(h, 1);
  if (c != kNoValue) node.set_output(c, 2);
}

void write_layer(NodeContext& node, const Recurrent& layer) {
  GraphBuilder& builder = node.builder();
  const int64_t rows = layer.gates * layer.hidden, hidden = layer.hidden;
  ValueId bias = layer.bias;
  if (bias != kNoValue) {
    const ValueId mine = ops::slice(builder, bias, 1, 0, rows),
                  recurrent = ops::slice(builder, bias, 1, rows, 2 * rows);
    if (layer.gates == 3 && layer.linear_before_reset) {
      // The new gate's recurrent bias meets the reset gate: it stays apart as a fourth lot of rows.
      const ValueId first = ops::add(builder, ops::slice(builder, mine, 1, 0, 2 * hidden),
                                     ops::slice(builder, recurrent, 1, 0, 2 * hidden));
      bias = ops::concat(
          builder,
          {first, ops::slice(builder, mine, 1, 2 * hidden, rows), ops::slice(builder, recurrent, 1, 2 * hidden, rows)},
          1);
    } else {
      bias = ops::add(builder, mine, recurrent);
    }
  }
  ops::RecurrentOptions options;
  options.direction = layer.direction;
  options.training = false;
  options.linear_before_reset = layer.linear_before_reset;
  options.activation = layer.activations[0].name;
  ops::RecurrentResult result;
  if (layer.gates == 1) result = ops::rnn(builder, layer.x, layer.w, layer.r, bias, layer.initial_h, options);
  if (layer.gates == 3) result = ops::gru(builder, layer.x, layer.w, layer.r, bias, layer.initial_h, options);
  if (layer.gates == 4)
    result = ops::lstm(builder, layer.x, layer.w, layer.r, bias, layer.initial_h, layer.initial_c, options);
  if (node.failed()) return;
  const ValueId y = ops::reshape(builder, result.y, {layer.steps, layer.batch, layer.directions, hidden});
  set_recurrent_outputs(node, layer, ops::permute(builder, y, {0, 2, 1, 3}), result.h, result.c);
}

namespace {

void convert_layer(NodeContext& node, int64_t gates, const std::vector<std::string>& usual) {
  const Recurrent layer = read_layer(node, gates, usual);
  if (!node.failed()) (layer.plain ? write_layer : write_steps)(node, layer);
}

}  // namespace

void convert_rnn(NodeContext& node) { convert_layer(node, 1, {"Tanh"}); }

void convert_gru(NodeContext& node) { convert_layer(node, 3, {"Sigmoid", "Tanh"}); }

void convert_lstm(NodeContext& node) { convert_layer(node, 4, {"Sigmoid", "Tanh", "Tanh"}); }

}  // namespace engine::onnx
