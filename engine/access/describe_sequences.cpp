// SPDX-License-Identifier: Apache-2.0
// Recurrent layers step by step. The libraries' products inside are modelled like others.
#include <algorithm>

#include "engine/access/describe.h"

namespace engine::access {
namespace {

/// A matrix of `rows` x `columns` elements with neighbours side by side; rows `stride` elements apart.
Operand matrix(DType dtype, uint64_t address, uint32_t tensor, int64_t rows, int64_t columns, int64_t stride) {
  return {{dtype, {rows, columns}, {stride, 1}}, address, tensor};
}

Operand transposed(Operand m) {
  std::swap(m.type.shape[0], m.type.shape[1]);
  std::swap(m.type.strides[0], m.type.strides[1]);
  return m;
}

/// `rows` rows from `row` on.
Operand rows_of(Operand m, int64_t row, int64_t rows) {
  m.address += static_cast<uint64_t>(row * m.type.strides[0] * static_cast<int64_t>(size_bytes(m.type.dtype)));
  m.type.shape[0] = rows;
  return m;
}

void together(std::initializer_list<std::pair<const Operand*, AccessKind>> parts, AccessSink& sink) {
  const Shape shape = parts.begin()->first->type.shape;
  std::vector<WalkOperand> operands;
  for (const auto& [operand, kind] : parts) operands.push_back(part_of_walk(*operand, shape, kind));
  walk(shape, operands, sink);
}

constexpr auto kLoad = AccessKind::load, kStore = AccessKind::store;

/// Leading axis `index` of a tensor of three axes.
Operand slab(const Operand& o, int64_t index) {
  Operand m = o;
  m.address += static_cast<uint64_t>(index * o.type.strides[0] * static_cast<int64_t>(size_bytes(o.type.dtype)));
  m.type.shape.erase(m.type.shape.begin());
  m.type.strides.erase(m.type.strides.begin());
  return m;
}

/// Two leading axes as one, which lie behind one another.
Operand flat_rows(const Operand& o) {
  const int64_t columns = o.type.shape[2];
  return matrix(o.type.dtype, o.address, o.tensor, o.type.shape[0] * o.type.shape[1], columns, o.type.strides[1]);
}

/// What the recurrent ops have in common.
struct Layer {
  int64_t steps, batch, hidden, directions, gate_rows;
  DType dtype;
  uint64_t scratch;  ///< address of gates (or their gradients) that no operand holds
  uint32_t scratch_tensor;
  Operand gates_of(const OpCall& call, const Operand* kept, int64_t direction) const {
    const int64_t rows = steps * batch;
    const uint64_t own = static_cast<uint64_t>(direction * rows * gate_rows) * size_bytes(dtype);
    if (kept != nullptr) return matrix(dtype, kept->address + own, kept->tensor, rows, gate_rows, gate_rows);
    return matrix(dtype, scratch, call.workspace_tensor, rows, gate_rows, gate_rows);
  }
};

bool layer_of(const OpCall& call, const Operand& x, const Operand& w, const Operand& r, Layer& layer) {
  if (x.type.rank() != 3 || w.type.rank() != 3 || r.type.rank() != 3 || x.type.elements() == 0) return false;
  for (const Operand* o : {&x, &w, &r}) {
    if (o->type != TensorType::contiguous(o->type.dtype, o->type.shape)) return false;
  }
  layer = {.steps = x.type.shape[0], .batch = x.type.shape[1], .hidden = r.type.shape[2], .directions = r.type.shape[0],
           .gate_rows = r.type.shape[1], .dtype = x.type.dtype, .scratch = call.workspace_address + (uint64_t{8} << 20),
           .scratch_tensor = call.workspace_tensor};
  return static_cast<uint64_t>(layer.steps * layer.batch * layer.gate_rows) * size_bytes(layer.dtype) < kWorkspaceBytes / 2;
}

/// Results that hold what the backward pass reads: of rank 4, with as many columns as w has rows.
const Operand* kept_gates(std::span<const Operand> operands, const Layer& layer) {
  for (const Operand& o : operands) {
    if (o.type.rank() == 4 && o.type.shape[0] == layer.directions && o.type.shape[1] == layer.steps && o.type.shape[3] == layer.gate_rows) return &o;
  }
  return nullptr;
}

}  // namespace

/// (x, w, r, bias, h0, ...) -> y, h, ...: the products with x as one, those with h step by step, the gates' values in between.
bool describe_recurrent(const OpCall& call, AccessSink& sink) {
  if (call.inputs.size() < 5 || call.outputs.empty() || call.outputs[0].type.rank() != 3) return false;
  const Operand &x = call.inputs[0], &w = call.inputs[1], &r = call.inputs[2], &h0 = call.inputs[4], &y = call.outputs[0];
  Layer layer{};
  if (!layer_of(call, x, w, r, layer) || h0.type.rank() != 3) return false;
  walk_alone(call.inputs[3], kLoad, sink);
  const Operand* kept = kept_gates(call.outputs, layer);
  const auto bytes = static_cast<int64_t>(size_bytes(layer.dtype));
  const bool reverse = call.node.attributes.get_string("direction", "forward") == "reverse";
  for (int64_t d = 0; d < layer.directions && !sink.stopped(); ++d) {
    const Operand gates = layer.gates_of(call, kept, d);
    describe_product(call, flat_rows(x), transposed(slab(w, d)), gates, sink);
    Operand h = slab(h0, d);
    for (int64_t step = 0; step < layer.steps && !sink.stopped(); ++step) {
      const int64_t t = d == 1 || reverse ? layer.steps - 1 - step : step;
      const Operand own = rows_of(gates, t * layer.batch, layer.batch);
      describe_product(call, h, transposed(slab(r, d)), own, sink);
      Operand out = matrix(layer.dtype, y.address + static_cast<uint64_t>((t * y.type.strides[0] + d * layer.hidden) * bytes), y.tensor, layer.batch,
                           layer.hidden, y.type.strides[1]);
      together({{&own, kLoad}, {&own, kStore}}, sink);
      together({{&out, kStore}}, sink);
      h = out;
    }
  }
  for (size_t i = 1; i < call.outputs.size(); ++i) {
    if (&call.outputs[i] != kept) walk_alone(call.outputs[i], kStore, sink);
  }
  return true;
}

/// (dy, ..., x, w, r, ...) -> dx, dw, dr, ...: backwards through the steps, then the gradients of the products as wholes.
bool describe_recurrent_grad(const OpCall& call, AccessSink& sink) {
  const std::string_view op = call.node.op->name;
  const size_t first = op == "lstm_grad" ? 3 : 2;  // dc comes before x only here
  if (call.inputs.size() < first + 5 || call.outputs.size() < 4) return false;
  const Operand &x = call.inputs[first], &w = call.inputs[first + 1], &r = call.inputs[first + 2], &dy = call.inputs[0];
  const Operand& y = call.inputs[first + (op == "lstm_grad" ? 5 : 4)];
  Layer layer{};
  if (!layer_of(call, x, w, r, layer) || y.type.rank() != 3 || dy.type.rank() != 3) return false;
  const Operand* kept = kept_gates(call.inputs, layer);
  const auto bytes = static_cast<int64_t>(size_bytes(layer.dtype));
  const bool reverse = call.node.attributes.get_string("direction", "forward") == "reverse";
  const auto part = [&](const Operand& o, int64_t t, int64_t d) {
    return matrix(layer.dtype, o.address + static_cast<uint64_t>((t * o.type.strides[0] + d * layer.hidden) * bytes), o.tensor, layer.batch, layer.hidden,
                  o.type.strides[1]);
  };
  for (int64_t d = 0; d < layer.directions && !sink.stopped(); ++d) {
    const Operand gradients = layer.gates_of(call, nullptr, d);
    for (int64_t step = layer.steps; step-- > 0 && !sink.stopped();) {
      const int64_t t = d == 1 || reverse ? layer.steps - 1 - step : step;
      const Operand own = rows_of(gradients, t * layer.batch, layer.batch), from = part(dy, t, d), before = part(y, t, d);
      if (kept != nullptr) {
        const Operand read = rows_of(layer.gates_of(call, kept, d), t * layer.batch, layer.batch);
        together({{&own, kStore}, {&read, kLoad}}, sink);
      } else {
        together({{&own, kStore}}, sink);
      }
      together({{&from, kLoad}, {&before, kLoad}}, sink);
      const Operand dh = matrix(layer.dtype, call.workspace_address + (uint64_t{6} << 20), call.workspace_tensor, layer.batch, layer.hidden, layer.hidden);
      describe_product(call, own, slab(r, d), dh, sink);
    }
    describe_product(call, gradients, slab(w, d), flat_rows(call.outputs[0]), sink);
    describe_product(call, transposed(gradients), flat_rows(x), slab(call.outputs[1], d), sink);
    const Operand hidden = matrix(layer.dtype, y.address + static_cast<uint64_t>(d * layer.hidden * bytes), y.tensor, layer.steps * layer.batch, layer.hidden,
                                  y.type.strides[1]);
    describe_product(call, transposed(gradients), hidden, slab(call.outputs[2], d), sink);
    together({{&gradients, kLoad}}, sink);  // the bias's
  }
  for (size_t i = 3; i < call.outputs.size(); ++i) walk_alone(call.outputs[i], kStore, sink);
  return true;
}

}  // namespace engine::access
