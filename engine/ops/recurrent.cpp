// SPDX-License-Identifier: Apache-2.0
// Shapes, costs and gradients of LSTM (S. Hochreiter, J. Schmidhuber, 1997), GRU (K. Cho et al., EMNLP 2014) and the
// simple recurrent network.
#include "engine/ops/recurrent.h"

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/gradients.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent_extents.h"

namespace engine::ops {
namespace {

/// Checks x, w, r at operands x to x + 2 and gives the extents.
bool check_weights(OperandCheck& check, CellKind kind, std::span<const TensorType> inputs, size_t x,
                   const Attributes& attributes, RecurrentExtents& e) {
  const std::string direction = attributes.get_string("direction", "forward"),
                    activation = attributes.get_string("activation", "tanh");
  if (!check.floating(0) || !check.same_dtype() || !check.rank(x, 3) || !check.rank(x + 2, 3) ||
      !check.that(direction == "forward" || direction == "reverse" || direction == "bidirectional",
                  "direction is \"{}\": must be forward, reverse or bidirectional", direction) ||
      !check.that(activation == "tanh" || activation == "relu", "activation is \"{}\": must be tanh or relu",
                  activation)) {
    return false;
  }
  e = recurrent_extents(kind, inputs[x].shape, inputs[x + 2].shape, attributes);
  // Everything the op puts out or multiplies by has an address, so that no extent below overflows.
  const int64_t directions = e.directions;
  return check.addressable("the bias", DType::float64, {directions, 4, e.hidden}) &&
         check.addressable("the kept gates", DType::float64, {directions, e.steps, e.batch, 4, e.hidden}) &&
         check.addressable("the result", DType::float64, {e.steps, e.batch, directions, e.hidden}) &&
         check.addressable("the state", DType::float64, {directions, e.batch, e.hidden}) &&
         check.shape(x + 1, {directions, e.gates * e.hidden, e.inputs}, "directions, gates, features of x") &&
         check.shape(x + 2, {directions, e.gates * e.hidden, e.hidden}, "directions, gates, hidden units");
}

Shape state_shape(const RecurrentExtents& e) { return {e.directions, e.batch, e.hidden}; }
Shape output_shape(const RecurrentExtents& e) { return {e.steps, e.batch, e.directions * e.hidden}; }
Shape bias_shape(const RecurrentExtents& e) { return {e.directions, e.rows * e.hidden}; }
Shape gates_shape(const RecurrentExtents& e) { return {e.directions, e.steps, e.batch, e.rows * e.hidden}; }
Shape cells_shape(const RecurrentExtents& e) { return {e.directions, e.steps, e.batch, e.hidden}; }

bool keeps(CellKind kind, const Attributes& attributes) {
  return kind != CellKind::rnn && attributes.get_int("training", 1) != 0;
}

InferResult infer_forward(CellKind kind, OperandCheck check, std::span<const TensorType> inputs,
                          const Attributes& attributes) {
  RecurrentExtents e;
  if (!check.operand_count() || !check_weights(check, kind, inputs, 0, attributes, e) ||
      !check.shape(3, bias_shape(e), "one per gate and hidden unit")) {
    return check.error();
  }
  for (size_t i = 4; i < inputs.size(); ++i) {
    if (!check.shape(i, state_shape(e), "directions, batch, hidden units")) return check.error();
  }
  const auto type = [&](Shape shape) { return TensorType::contiguous(inputs[0].dtype, std::move(shape)); };
  std::vector<TensorType> outputs{type(output_shape(e)), type(state_shape(e))};
  if (e.keeps_cells()) outputs.push_back(type(state_shape(e)));
  if (!keeps(kind, attributes)) return outputs;
  outputs.push_back(type(gates_shape(e)));
  if (e.keeps_cells()) outputs.push_back(type(cells_shape(e)));
  return outputs;
}

/// Operands: dy, dh, [dc], x, w, r, h0, [c0], y, [gates], [cells].
InferResult infer_grad(CellKind kind, OperandCheck check, std::span<const TensorType> inputs,
                       const Attributes& attributes) {
  const bool cells = kind == CellKind::lstm;
  const size_t x = cells ? 3 : 2;
  RecurrentExtents e;
  if (!check.operand_count() || !check_weights(check, kind, inputs, x, attributes, e)) return check.error();
  std::vector<Shape> wanted{output_shape(e), state_shape(e)};
  if (cells) wanted.push_back(state_shape(e));
  for (size_t i = 0; i < 3; ++i) wanted.push_back(inputs[x + i].shape);
  wanted.push_back(state_shape(e));
  if (cells) wanted.push_back(state_shape(e));
  wanted.push_back(output_shape(e));
  if (kind != CellKind::rnn) wanted.push_back(gates_shape(e));
  if (cells) wanted.push_back(cells_shape(e));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!check.shape(i, wanted[i], "as the forward op has it")) return check.error();
  }
  const auto type = [&](const Shape& shape) { return TensorType::contiguous(inputs[0].dtype, shape); };
  std::vector<TensorType> outputs;
  for (size_t i = 0; i < 3; ++i) outputs.push_back(type(inputs[x + i].shape));
  outputs.push_back(type(bias_shape(e)));
  outputs.push_back(type(state_shape(e)));
  if (cells) outputs.push_back(type(state_shape(e)));
  return outputs;
}

// ---- cost
// -------------------------------------------------------------------------------------------------------------------

/// Hidden units computed in all: directions * steps * batch * hidden.
double units(const RecurrentExtents& e) {
  return static_cast<double>(e.directions) * static_cast<double>(e.steps) * static_cast<double>(e.batch) *
         static_cast<double>(e.hidden);
}
/// A multiply-add per gate and operand element.
double product_flops(const RecurrentExtents& e) {
  return 2 * units(e) * static_cast<double>(e.gates) * static_cast<double>(e.inputs + e.hidden);
}

/// Beside the products, per unit: lstm: three sigmoids (4 each), two tanh, 3 for the cell, 1 for the output; gru: two
/// sigmoids, tanh, 2 for the reset, 4 for the output; rnn: the activation.
Cost cost_forward(CellKind kind, const Call& call) {
  const RecurrentExtents e = recurrent_extents(kind, call.inputs[0].shape, call.inputs[2].shape, call.attributes);
  const double per_unit = kind == CellKind::lstm ? 18 : kind == CellKind::gru ? 15 : 1;
  return full_cost(call, product_flops(e) + per_unit * units(e));
}

/// Twice the forward products. Beside them, per unit: lstm: dh 1, tanh 1, the four gates 4 each, dc 6, bias 4; gru: dh
/// 1, the gates 5, 5 and 4, h z 1, the reset's share 1, bias 4; rnn: dh 1, the activation's slope 3, bias 1.
Cost cost_grad(CellKind kind, const Call& call) {
  const size_t x = kind == CellKind::lstm ? 3 : 2;
  const RecurrentExtents e = recurrent_extents(kind, call.inputs[x].shape, call.inputs[x + 2].shape, call.attributes);
  const double per_unit = kind == CellKind::lstm ? 28 : kind == CellKind::gru ? 21 : 5;
  return full_cost(call, 2 * product_flops(e) + per_unit * units(e));
}

// ---- gradient
// ---------------------------------------------------------------------------------------------------------------

/// Zeros that take no memory: one element, repeated.
ValueId zeros(GraphBuilder& builder, DType dtype, const Shape& shape, Role role) {
  const double zero = 0;
  Result<Tensor> tensor = Tensor::from_values({}, {&zero, 1}, dtype);
  if (!tensor) return builder.fail(tensor.error());
  return expand(builder, builder.constant("zeros", std::move(*tensor), role), shape);
}

void append_gradient(CellKind kind, const Op& forward, const Op& backward, GradientContext& context) {
  GraphBuilder& builder = context.builder();
  const size_t results = kind == CellKind::lstm ? 3 : 2;
  std::vector<ValueId> outputs, inputs;
  for (size_t i = 0; i < context.input_count(); ++i) inputs.push_back(context.input(i));
  for (size_t j = 0; j < context.output_count(); ++j) outputs.push_back(context.output(j));
  for (size_t j = results; j < outputs.size(); ++j) {
    if (context.output_gradient(j) == kNoValue) continue;
    builder.fail(usage_error(fmt::format("[{}] takes no gradient of the kept gates and cells", backward.name)));
    return;
  }
  Attributes attributes = context.attributes();
  if (kind != CellKind::rnn && !keeps(kind, attributes)) {
    attributes.set("training", int64_t{1});
    outputs = builder.append(forward, inputs, attributes);
  }
  if (builder.failed()) return;
  std::vector<ValueId> operands;
  for (size_t j = 0; j < results; ++j) {
    const TensorType type = builder.type(outputs[j]);
    const ValueId gradient = context.output_gradient(j);
    operands.push_back(gradient != kNoValue ? gradient : zeros(builder, type.dtype, type.shape, Role::gradient));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i != 3) operands.push_back(inputs[i]);  // all but the bias
  }
  operands.push_back(outputs[0]);
  operands.insert(operands.end(), outputs.begin() + static_cast<int64_t>(results),
                  outputs.begin() + static_cast<int64_t>(results) +
                      (kind == CellKind::lstm  ? 2
                       : kind == CellKind::gru ? 1
                                               : 0));
  const std::vector<ValueId> gradients = builder.append(backward, std::move(operands), std::move(attributes));
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (context.needed(i)) context.set_input_gradient(i, gradients[i]);
  }
}

/// The operand or zeros of this shape.
ValueId or_zeros(GraphBuilder& builder, ValueId value, ValueId like, const Shape& shape) {
  if (value != kNoValue || builder.failed()) return value;
  return zeros(builder, builder.type(like).dtype, shape, Role::activation);
}

/// Appends a forward op; zeros for what is missing.
RecurrentResult build(GraphBuilder& builder, const Op& op, CellKind kind, std::vector<ValueId> operands,
                      Attributes attributes) {
  if (builder.failed()) return {};
  const Shape x = builder.type(operands[0]).shape, r = builder.type(operands[2]).shape;
  if (x.size() != 3 || r.size() != 3) {
    builder.fail(usage_error(fmt::format("[{}] x must be [T, B, I] and r [D, gates * H, H], got {} and {}", op.name,
                                         to_string(x), to_string(r))));
    return {};
  }
  const RecurrentExtents e = recurrent_extents(kind, x, r, attributes);
  operands[3] = or_zeros(builder, operands[3], operands[0], bias_shape(e));
  for (size_t i = 4; i < operands.size(); ++i)
    operands[i] = or_zeros(builder, operands[i], operands[0], state_shape(e));
  const std::vector<ValueId> outputs = builder.append(op, std::move(operands), std::move(attributes));
  return {outputs[0], outputs[1], kind == CellKind::lstm ? outputs[2] : kNoValue};
}

template <CellKind kind>
void reference_forward(KernelArguments& arguments) {
  reference_recurrent(kind, arguments);
}
template <CellKind kind>
void reference_backward(KernelArguments& arguments) {
  reference_recurrent_grad(kind, arguments);
}

}  // namespace

const Op kLstm{
    .name = "lstm",
    .formula = "i, f, o = sigmoid, g = tanh of W x[t] + R h + bias; c = f * c + i * g; y[t] = h = o * tanh(c)",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_forward(CellKind::lstm, OperandCheck("lstm", inputs, {"x", "w", "r", "bias", "h0", "c0"}),
                               inputs, attributes);
        },
    .cost = [](const Call& call) { return cost_forward(CellKind::lstm, call); },
    .reference = reference_forward<CellKind::lstm>,
    .gradient = [](GradientContext& context) { append_gradient(CellKind::lstm, kLstm, kLstmGrad, context); },
    .matrix_product = true,
    .attributes = {AttributeSpec::word("direction", "forward"), AttributeSpec::whole("training", 1)},
    .fusion = FusionPart::reduction,
};

const Op kLstmGrad{
    .name = "lstm_grad",
    .formula = "the chain rule through lstm, from the last step of each direction to the first",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad(
              CellKind::lstm,
              OperandCheck("lstm_grad", inputs, {"dy", "dh", "dc", "x", "w", "r", "h0", "c0", "y", "gates", "cells"}),
              inputs, attributes);
        },
    .cost = [](const Call& call) { return cost_grad(CellKind::lstm, call); },
    .reference = reference_backward<CellKind::lstm>,
    .matrix_product = true,
    .attributes = {AttributeSpec::word("direction", "forward"), AttributeSpec::whole("training", 1)},
};

const Op kGru{
    .name = "gru",
    .formula =
        "z, r = sigmoid(W x[t] + R h + bias); n = tanh(W_n x[t] + b_n + r * (R_n h + b_m)); y[t] = h = (1 - z) * n + z "
        "* h",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_forward(CellKind::gru, OperandCheck("gru", inputs, {"x", "w", "r", "bias", "h0"}), inputs,
                               attributes);
        },
    .cost = [](const Call& call) { return cost_forward(CellKind::gru, call); },
    .reference = reference_forward<CellKind::gru>,
    .gradient = [](GradientContext& context) { append_gradient(CellKind::gru, kGru, kGruGrad, context); },
    .matrix_product = true,
    .attributes = {AttributeSpec::word("direction", "forward"), AttributeSpec::whole("training", 1),
                   AttributeSpec::whole("linear_before_reset", 1)},
    .fusion = FusionPart::reduction,
};

const Op kGruGrad{
    .name = "gru_grad",
    .formula = "the chain rule through gru, from the last step of each direction to the first",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad(CellKind::gru,
                            OperandCheck("gru_grad", inputs, {"dy", "dh", "x", "w", "r", "h0", "y", "gates"}), inputs,
                            attributes);
        },
    .cost = [](const Call& call) { return cost_grad(CellKind::gru, call); },
    .reference = reference_backward<CellKind::gru>,
    .matrix_product = true,
    .attributes = {AttributeSpec::word("direction", "forward"), AttributeSpec::whole("training", 1),
                   AttributeSpec::whole("linear_before_reset", 1)},
};

const Op kRnn{
    .name = "rnn",
    .formula = "y[t] = h = activation(W x[t] + R h + bias)",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_forward(CellKind::rnn, OperandCheck("rnn", inputs, {"x", "w", "r", "bias", "h0"}), inputs,
                               attributes);
        },
    .cost = [](const Call& call) { return cost_forward(CellKind::rnn, call); },
    .reference = reference_forward<CellKind::rnn>,
    .gradient = [](GradientContext& context) { append_gradient(CellKind::rnn, kRnn, kRnnGrad, context); },
    .matrix_product = true,
    .attributes = {AttributeSpec::word("direction", "forward"), AttributeSpec::word("activation", "tanh")},
    .fusion = FusionPart::reduction,
};

const Op kRnnGrad{
    .name = "rnn_grad",
    .formula = "the chain rule through rnn, from the last step of each direction to the first",
    .infer =
        [](std::span<const TensorType> inputs, const Attributes& attributes) {
          return infer_grad(CellKind::rnn, OperandCheck("rnn_grad", inputs, {"dy", "dh", "x", "w", "r", "h0", "y"}),
                            inputs, attributes);
        },
    .cost = [](const Call& call) { return cost_grad(CellKind::rnn, call); },
    .reference = reference_backward<CellKind::rnn>,
    .matrix_product = true,
    .attributes = {AttributeSpec::word("direction", "forward"), AttributeSpec::word("activation", "tanh")},
};

std::span<const Op* const> recurrent_ops() {
  static constexpr const Op* kOps[] = {&kLstm, &kLstmGrad, &kGru, &kGruGrad, &kRnn, &kRnnGrad};
  return kOps;
}

RecurrentResult lstm(GraphBuilder& builder, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0, ValueId c0,
                     const RecurrentOptions& options) {
  return build(builder, kLstm, CellKind::lstm, {x, w, r, bias, h0, c0},
               {{"direction", options.direction}, {"training", int64_t{options.training}}});
}

RecurrentResult gru(GraphBuilder& builder, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                    const RecurrentOptions& options) {
  return build(builder, kGru, CellKind::gru, {x, w, r, bias, h0},
               {{"direction", options.direction},
                {"training", int64_t{options.training}},
                {"linear_before_reset", int64_t{options.linear_before_reset}}});
}

RecurrentResult rnn(GraphBuilder& builder, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                    const RecurrentOptions& options) {
  return build(builder, kRnn, CellKind::rnn, {x, w, r, bias, h0},
               {{"direction", options.direction}, {"activation", options.activation}});
}

}  // namespace engine::ops
