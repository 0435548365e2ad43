// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM with all that ONNX lets them have: written step by step.
#include <fmt/format.h>

#include <algorithm>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/recurrent.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

namespace engine::onnx {
namespace {

/// Steps that are written out.
constexpr int64_t kMostSteps = 4096;

/// One direction while it is written.
class Writer {
 public:
  Writer(NodeContext& node, const Recurrent& layer, int64_t direction)
      : node_(node), layer_(layer), direction_(direction) {}

  /// [T, B, H] of all steps in the order of x, and the last h (and c).
  struct Result {
    ValueId y = kNoValue, h = kNoValue, c = kNoValue;
  };
  Result write();

 private:
  GraphBuilder& builder() { return node_.builder(); }
  /// The direction's part of a [D, ...] value.
  ValueId part(ValueId value) {
    if (value == kNoValue || node_.failed()) return kNoValue;
    return ops::squeeze(builder(), ops::slice(builder(), value, 0, direction_, direction_ + 1), 0);
  }
  /// Columns of gate g.
  ValueId gate(ValueId gates, int64_t g) {
    return ops::slice(builder(), gates, -1, g * layer_.hidden, (g + 1) * layer_.hidden);
  }
  /// Rows of gate g of a weight or a vector.
  ValueId rows(ValueId value, int64_t g) {
    return ops::slice(builder(), value, 0, g * layer_.hidden, (g + 1) * layer_.hidden);
  }
  ValueId add(ValueId a, ValueId b) { return b == kNoValue ? a : ops::add(builder(), a, b); }
  ValueId multiply(ValueId a, ValueId b) { return ops::multiply(builder(), a, b); }
  /// h r'.
  ValueId recur(ValueId h, ValueId r) { return ops::matmul(builder(), h, ops::transpose(builder(), r, 0, 1)); }
  ValueId activate(size_t which, ValueId x);
  ValueId limited(ValueId x) { return layer_.clip > 0 ? ops::clip(builder(), x, -layer_.clip, layer_.clip) : x; }
  ValueId rnn_step(ValueId x);
  ValueId gru_step(ValueId x);
  ValueId lstm_step(ValueId x);
  /// h where the sequence still runs at step t, `other` where it has ended.
  ValueId while_running(int64_t t, ValueId h, ValueId other);
  ValueId input_products(ValueId x);

  NodeContext& node_;
  const Recurrent& layer_;
  int64_t direction_;
  ValueId r_ = kNoValue, recurrent_bias_ = kNoValue, peepholes_ = kNoValue, h_ = kNoValue, c_ = kNoValue;
};

ValueId Writer::activate(size_t which, ValueId x) {
  const Activation& f = layer_.activations[static_cast<size_t>(direction_) * layer_.functions + which];
  GraphBuilder& b = builder();
  if (node_.failed()) return kNoValue;
  if (f.name == "sigmoid") return ops::sigmoid(b, x);
  if (f.name == "tanh") return ops::tanh(b, x);
  if (f.name == "relu") return ops::relu(b, x);
  if (f.name == "softsign") return ops::softsign(b, x);
  if (f.name == "softplus") return ops::softplus(b, x);
  if (f.name == "affine") return ops::scale(b, x, f.alpha, f.beta);
  if (f.name == "leakyrelu") return ops::leaky_relu(b, x, f.alpha);
  if (f.name == "thresholdedrelu") return ops::thresholded_relu(b, x, f.alpha);
  if (f.name == "scaledtanh") return ops::scale(b, ops::tanh(b, ops::scale(b, x, f.beta)), f.alpha);
  if (f.name == "hardsigmoid") return ops::hard_sigmoid(b, x, f.alpha, f.beta);
  if (f.name == "elu") return ops::elu(b, x, f.alpha);
  node_.fail(fmt::format("attribute activations: {} is not supported", f.name));
  return kNoValue;
}

/// x w' + bias of all steps at once: [T, B, gates * H]. Biases of the recurrent part go in where they are only added.
ValueId Writer::input_products(ValueId x) {
  const ValueId w = part(layer_.w), bias = part(layer_.bias);
  const int64_t gates = layer_.gates * layer_.hidden;
  ValueId total = kNoValue;
  if (bias != kNoValue) {
    const ValueId mine = ops::slice(builder(), bias, 0, 0, gates),
                  recurrent = ops::slice(builder(), bias, 0, gates, 2 * gates);
    if (layer_.gates == 3 && layer_.linear_before_reset) {
      recurrent_bias_ = rows(recurrent, 2);
      const ValueId zeros = filled(node_, 0, layer_.dtype, {layer_.hidden});
      const ValueId rest =
          ops::concat(builder(), {ops::slice(builder(), recurrent, 0, 0, 2 * layer_.hidden), zeros}, 0);
      total = ops::add(builder(), mine, rest);
    } else {
      total = ops::add(builder(), mine, recurrent);
    }
  }
  const ValueId flat = ops::reshape(builder(), x, {layer_.steps * layer_.batch, layer_.inputs});
  return ops::reshape(builder(), ops::linear(builder(), flat, w, total), {layer_.steps, layer_.batch, gates});
}

ValueId Writer::while_running(int64_t t, ValueId h, ValueId other) {
  if (layer_.lengths == kNoValue || node_.failed()) return h;
  const DType dtype = builder().type(layer_.lengths).dtype;
  const ValueId running = ops::greater(builder(), layer_.lengths, scalar(node_, static_cast<double>(t), dtype));
  return ops::where(builder(), ops::unsqueeze(builder(), running, 1), h, other);
}

ValueId Writer::rnn_step(ValueId x) { return activate(0, limited(add(x, recur(h_, r_)))); }

ValueId Writer::gru_step(ValueId x) {
  const ValueId recurrent = recur(h_, ops::slice(builder(), r_, 0, 0, 2 * layer_.hidden));
  const ValueId gates = limited(add(ops::slice(builder(), x, -1, 0, 2 * layer_.hidden), recurrent));
  const ValueId both = activate(0, gates);
  const ValueId update = gate(both, 0), reset = gate(both, 1);
  const ValueId rh = rows(r_, 2);
  const ValueId old = layer_.linear_before_reset ? multiply(reset, add(recur(h_, rh), recurrent_bias_))
                                                 : recur(multiply(reset, h_), rh);
  const ValueId fresh = activate(1, limited(add(gate(x, 2), old)));
  return add(multiply(ops::scale(builder(), update, -1, 1), fresh), multiply(update, h_));
}

/// Gates in ONNX' order: i, o, f, c.
ValueId Writer::lstm_step(ValueId x) {
  const ValueId gates = add(x, recur(h_, r_));
  const auto peep = [&](ValueId value, int64_t g, ValueId c) {
    return peepholes_ == kNoValue ? value : add(value, multiply(rows(peepholes_, g), c));
  };
  const ValueId in = activate(0, limited(peep(gate(gates, 0), 0, c_)));
  const ValueId keep =
      layer_.input_forget ? ops::scale(builder(), in, -1, 1) : activate(0, limited(peep(gate(gates, 2), 2, c_)));
  const ValueId fresh = activate(1, limited(gate(gates, 3)));
  const ValueId cell = add(multiply(keep, c_), multiply(in, fresh));
  const ValueId out = activate(0, limited(peep(gate(gates, 1), 1, cell)));
  const ValueId h = multiply(out, activate(2, cell));
  c_ = cell;
  return h;
}

Writer::Result Writer::write() {
  const bool reverse = layer_.direction == "reverse" || direction_ == 1;
  const auto turned = [&](ValueId value) {
    if (!reverse || node_.failed()) return value;
    if (layer_.lengths == kNoValue) return ops::reverse(builder(), value, {0});
    return ops::reverse_sequence(builder(), value, layer_.lengths, 1, 0);
  };
  r_ = part(layer_.r);
  peepholes_ = part(layer_.peepholes);
  const Shape state{layer_.batch, layer_.hidden};
  const ValueId zeros = filled(node_, 0, layer_.dtype, state);
  h_ = layer_.initial_h == kNoValue ? zeros : part(layer_.initial_h);
  c_ = layer_.initial_c == kNoValue ? zeros : part(layer_.initial_c);
  const ValueId products = input_products(turned(layer_.x));
  std::vector<ValueId> steps;
  for (int64_t t = 0; t < layer_.steps && !node_.failed(); ++t) {
    const ValueId x = ops::squeeze(builder(), ops::slice(builder(), products, 0, t, t + 1), 0);
    const ValueId old_c = c_;
    const ValueId h = layer_.gates == 1 ? rnn_step(x) : layer_.gates == 3 ? gru_step(x) : lstm_step(x);
    if (layer_.gates == 4) c_ = while_running(t, c_, old_c);
    steps.push_back(ops::unsqueeze(builder(), while_running(t, h, zeros), 0));
    h_ = while_running(t, h, h_);
  }
  if (node_.failed()) return {};
  const ValueId y = steps.size() == 1 ? steps[0] : ops::concat(builder(), steps, 0);
  return {turned(y), h_, c_};
}

}  // namespace

void write_steps(NodeContext& node, const Recurrent& layer) {
  if (layer.steps > kMostSteps)
    return node.fail(fmt::format("{} steps are more than the {} that are written out", layer.steps, kMostSteps));
  if (layer.steps == 0) return node.fail("input 0 has no step");
  GraphBuilder& builder = node.builder();
  std::vector<ValueId> y, h, c;
  for (int64_t direction = 0; direction < layer.directions; ++direction) {
    const Writer::Result result = Writer(node, layer, direction).write();
    if (node.failed()) return;
    y.push_back(ops::unsqueeze(builder, result.y, 1));
    h.push_back(ops::unsqueeze(builder, result.h, 0));
    c.push_back(ops::unsqueeze(builder, result.c, 0));
  }
  const auto joined = [&](const std::vector<ValueId>& parts, int64_t axis) {
    return parts.size() == 1 ? parts[0] : ops::concat(builder, parts, axis);
  };
  set_recurrent_outputs(node, layer, joined(y, 1), joined(h, 0), layer.gates == 4 ? joined(c, 0) : kNoValue);
}

}  // namespace engine::onnx
