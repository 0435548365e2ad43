// SPDX-License-Identifier: Apache-2.0
// Recurrent cells from linear and elementwise ops, and sequences of them.
#include <fmt/format.h>

#include <functional>

#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent.h"

namespace engine::ops {
namespace {

/// Columns `gate` * H to (gate + 1) * H of x [B, gates * H].
ValueId gate_of(GraphBuilder& builder, ValueId x, int64_t gate, int64_t hidden) {
  return slice(builder, x, 1, gate * hidden, (gate + 1) * hidden);
}
/// Rows of a matrix or elements of a vector, from gate `first` up to gate `last`.
ValueId rows_of(GraphBuilder& builder, ValueId x, int64_t first, int64_t last, int64_t hidden) {
  return x == kNoValue ? kNoValue : slice(builder, x, 0, first * hidden, last * hidden);
}

/// Entry `index` of the first axis.
ValueId entry(GraphBuilder& builder, ValueId x, int64_t index) {
  return x == kNoValue ? kNoValue : squeeze(builder, slice(builder, x, 0, index, index + 1), 0);
}

/// Stacks values along a new first axis.
ValueId stack(GraphBuilder& builder, std::vector<ValueId> values) {
  for (ValueId& value : values) value = unsqueeze(builder, value, 0);
  return concat(builder, std::move(values), 0);
}

ValueId zeros(GraphBuilder& builder, DType dtype, Shape shape) {
  const double zero = 0;
  Result<Tensor> tensor = Tensor::from_values({}, {&zero, 1}, dtype);
  if (!tensor) return builder.fail(tensor.error());
  return expand(builder, builder.constant("zeros", std::move(*tensor), Role::activation), std::move(shape));
}

/// The weights of one direction.
struct Weights {
  ValueId w, r, bias;
};
using Cell = std::function<LstmState(ValueId x, LstmState state, const Weights&)>;

/// Runs `cell` over all steps of all directions.
RecurrentResult unroll(GraphBuilder& builder, ValueId x, const Weights& weights, LstmState start, bool with_cell,
                       const std::string& direction, const Cell& cell) {
  if (builder.failed()) return {};
  const TensorType x_type = builder.type(x);
  const Shape r = builder.type(weights.r).shape;
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  if (x_type.rank() != 3 || r.size() != 3 || r[0] != directions || x_type.shape[0] < 1) {
    builder.fail(
        usage_error(fmt::format("[unrolled] x {} must be [T, B, I] with a step at least, r {} [{}, gates * H, H]",
                                to_string(x_type.shape), to_string(r), directions)));
    return {};
  }
  const int64_t steps = x_type.shape[0];
  const Shape state_shape{x_type.shape[1], r[2]};
  std::vector<std::vector<ValueId>> outputs(static_cast<size_t>(steps));
  std::vector<ValueId> last_h, last_c;
  for (int64_t d = 0; d < directions; ++d) {
    const Weights own{entry(builder, weights.w, d), entry(builder, weights.r, d), entry(builder, weights.bias, d)};
    LstmState state{entry(builder, start.h, d), entry(builder, start.c, d)};
    if (state.h == kNoValue) state.h = zeros(builder, x_type.dtype, state_shape);
    if (state.c == kNoValue && with_cell) state.c = zeros(builder, x_type.dtype, state_shape);
    for (int64_t step = 0; step < steps && !builder.failed(); ++step) {
      const int64_t t = d == 1 || direction == "reverse" ? steps - 1 - step : step;
      state = cell(entry(builder, x, t), state, own);
      outputs[static_cast<size_t>(t)].push_back(state.h);
    }
    last_h.push_back(state.h);
    last_c.push_back(state.c);
  }
  if (builder.failed()) return {};
  std::vector<ValueId> y;
  for (const std::vector<ValueId>& output : outputs)
    y.push_back(directions == 1 ? output[0] : concat(builder, output, 1));
  return {stack(builder, y), stack(builder, last_h), with_cell ? stack(builder, last_c) : kNoValue};
}

}  // namespace

LstmState lstm_cell(GraphBuilder& builder, ValueId x, LstmState state, ValueId w, ValueId r, ValueId bias) {
  const ValueId gates = add(builder, linear(builder, x, w, bias), linear(builder, state.h, r, kNoValue));
  if (builder.failed()) return {};
  const int64_t hidden = builder.type(r).shape[1];
  const ValueId i = sigmoid(builder, gate_of(builder, gates, 0, hidden)),
                f = sigmoid(builder, gate_of(builder, gates, 1, hidden));
  const ValueId g = ops::tanh(builder, gate_of(builder, gates, 2, hidden));
  const ValueId o = sigmoid(builder, gate_of(builder, gates, 3, hidden));
  const ValueId c = add(builder, multiply(builder, f, state.c), multiply(builder, i, g));
  return {multiply(builder, o, ops::tanh(builder, c)), c};
}

ValueId gru_cell(GraphBuilder& builder, ValueId x, ValueId h, ValueId w, ValueId r, ValueId bias,
                 bool linear_before_reset) {
  if (builder.failed()) return kNoValue;
  const int64_t hidden = builder.type(r).shape.back();
  const ValueId own = linear(builder, x, w, rows_of(builder, bias, 0, 3, hidden));
  const ValueId past = linear(builder, h, rows_of(builder, r, 0, 2, hidden), kNoValue);
  const ValueId z = sigmoid(builder, add(builder, gate_of(builder, own, 0, hidden), gate_of(builder, past, 0, hidden)));
  const ValueId reset =
      sigmoid(builder, add(builder, gate_of(builder, own, 1, hidden), gate_of(builder, past, 1, hidden)));
  const ValueId r_n = rows_of(builder, r, 2, 3, hidden);
  const ValueId candidate =
      linear_before_reset ? multiply(builder, reset, linear(builder, h, r_n, rows_of(builder, bias, 3, 4, hidden)))
                          : linear(builder, multiply(builder, reset, h), r_n, kNoValue);
  const ValueId n = ops::tanh(builder, add(builder, gate_of(builder, own, 2, hidden), candidate));
  return add(builder, n, multiply(builder, z, subtract(builder, h, n)));
}

ValueId rnn_cell(GraphBuilder& builder, ValueId x, ValueId h, ValueId w, ValueId r, ValueId bias,
                 const std::string& activation) {
  const ValueId sum = add(builder, linear(builder, x, w, bias), linear(builder, h, r, kNoValue));
  return activation == "relu" ? relu(builder, sum) : ops::tanh(builder, sum);
}

RecurrentResult lstm_unrolled(GraphBuilder& builder, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                              ValueId c0, const RecurrentOptions& options) {
  return unroll(builder, x, {w, r, bias}, {h0, c0}, true, options.direction,
                [&](ValueId x_t, LstmState state, const Weights& own) {
                  return lstm_cell(builder, x_t, state, own.w, own.r, own.bias);
                });
}

RecurrentResult gru_unrolled(GraphBuilder& builder, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                             const RecurrentOptions& options) {
  return unroll(builder, x, {w, r, bias}, {h0, kNoValue}, false, options.direction,
                [&](ValueId x_t, LstmState state, const Weights& own) {
                  return LstmState{gru_cell(builder, x_t, state.h, own.w, own.r, own.bias, options.linear_before_reset),
                                   kNoValue};
                });
}

RecurrentResult rnn_unrolled(GraphBuilder& builder, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                             const RecurrentOptions& options) {
  return unroll(
      builder, x, {w, r, bias}, {h0, kNoValue}, false, options.direction,
      [&](ValueId x_t, LstmState state, const Weights& own) {
        return LstmState{rnn_cell(builder, x_t, state.h, own.w, own.r, own.bias, options.activation), kNoValue};
      });
}

}  // namespace engine::ops
