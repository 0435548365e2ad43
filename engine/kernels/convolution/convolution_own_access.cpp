// SPDX-License-Identifier: Apache-2.0
// Our own convolutions and their gradients, where oneDNN is left out or does not compute: what the parts of
// convolution_own_loops.h access.
#include "engine/kernels/convolution/convolution_own_loops.h"

#include <algorithm>

#include "engine/kernels/convolution/convolution_arrays_access.h"
#include "engine/kernels/convolution/depthwise_loops.h"
#include "engine/kernels/gemm/matrix_access.h"

namespace engine::access {
namespace {

using loops::InArray;
using loops::Place;
using loops::Range;

class DescribedConvolution {
 public:
  DescribedConvolution(const OpCall& call, const ConvolutionOperands& operands, const PlacedArrays& arrays,
                       AccessSink& sink)
      : call_(call), o_(operands), arrays_(arrays), sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }
  void copy(const Place& from, const Place& to, int64_t count) {
    if (count > 0) sink_.group(count, {arrays_.stream(from, AccessKind::load), arrays_.stream(to, AccessKind::store)});
  }
  void zeros(const Place& to, int64_t count) {
    if (count > 0) sink_.group(count, {arrays_.stream(to, AccessKind::store)});
  }
  void repeat(const Place& from, const Place& to, int64_t count) {
    sink_.group(1, {arrays_.stream(from, AccessKind::load)});
    zeros(to, count);
  }
  void add(const Place& from, const Place& to, int64_t count) {
    if (count > 0)
      sink_.group(count, {arrays_.stream(from, AccessKind::load), arrays_.stream(to, AccessKind::load),
                          arrays_.stream(to, AccessKind::store)});
  }
  /// It is looked at; gradients are taken to be finite.
  bool adds_inside(const loops::PlacedMatrix& dy, const loops::ColumnTile& tile) {
    for (int64_t i = 0; i < tile.count && !stopped(); ++i)
      sink_.group(o_.g.outputs, {arrays_.stream({dy.array, dy.first + i * dy.row, dy.column}, AccessKind::load)});
    return false;
  }
  void multiply(const loops::PlacedProduct& p) {
    Operand bias;
    if (p.bias >= 0) {
      bias = *o_.bias;
      bias.address = arrays_.at(InArray::bias, p.bias);
    }
    describe_gemm({.a = matrix(p.a),
                   .b = matrix(p.b),
                   .c = matrix(p.c),
                   .bias = p.bias < 0 ? nullptr : &bias,
                   .m = p.m,
                   .n = p.n,
                   .k = p.k,
                   .vector_bytes = call_.vector_bytes,
                   .workspace = arrays_.at(InArray::scratch, p.room),
                   .workspace_tensor = call_.workspace_tensor,
                   .sink = sink_,
                   .accumulate = p.accumulate},
                  p.by_vector);
  }

 private:
  Matrix matrix(const loops::PlacedMatrix& m) const {
    const int64_t bytes = arrays_.bytes();
    return {arrays_.at(m.array, m.first), m.row * bytes, m.column * bytes, arrays_.tensor(m.array), bytes};
  }

  const OpCall& call_;
  const ConvolutionOperands& o_;
  const PlacedArrays& arrays_;
  AccessSink& sink_;
};

/// What a product packs into, of this vector unit.
auto room_of(const OpCall& call, int64_t bytes) {
  return [&call, bytes](int64_t m, int64_t n, int64_t k) { return panel_elements(call, bytes, m, n, k); };
}

bool has_room(const OpCall& call, int64_t elements, int64_t bytes) {
  return elements <= static_cast<int64_t>(call.workspace_bytes) / bytes;
}

bool forward(const OpCall& call, const ConvolutionOperands& o, PlacedArrays& arrays, AccessSink& sink) {
  const int64_t bytes = o.bytes();
  const loops::ForwardShape shape{.g = o.g,
                                  .x = layout_of(o.x),
                                  .y = layout_of(o.y),
                                  .weight_output = o.weight.type.strides[0],
                                  .weight_input = o.weight.type.strides[1],
                                  .has_bias = o.bias != nullptr};
  const loops::ForwardCut cut(o.g, shape.across(), bytes, call.threads, room_of(call, bytes));
  if (!has_room(call, cut.weights + cut.each, bytes)) return false;
  arrays.place(InArray::packed, call.workspace_address, call.workspace_tensor);
  arrays.place(InArray::scratch, call.workspace_address + static_cast<uint64_t>(cut.weights * bytes),
               call.workspace_tensor);
  if (call.constant_weights) arrays.place(InArray::packed, o.weight.address, o.weight.tensor);
  DescribedConvolution parts(call, o, arrays, sink);
  if (shape.packs() && !call.constant_weights) {
    const loops::WeightPacking packing(o.g, o.weight.type.strides, true, bytes);
    packing.run({0, packing.rows()}, parts);
  } else if (!shape.packs() && !call.constant_weights && o.g.meets_padding()) {  // looked at, whether it is finite
    for (int64_t i = 0; i < o.g.groups * o.g.outputs; ++i)
      sink.group(o.g.inputs,
                 {arrays.stream({InArray::weight, i * shape.weight_output, shape.weight_input}, AccessKind::load)});
  }
  for (int64_t unit = 0; unit < loops::forward_units(shape, cut) && !sink.stopped(); ++unit)
    loops::convolution_forward(shape, cut, loops::forward_unit(shape, cut, unit), parts);
  return true;
}

bool by_input(const OpCall& call, const ConvolutionOperands& o, PlacedArrays& arrays, AccessSink& sink) {
  const int64_t bytes = o.bytes();
  const loops::ByInputShape shape{.g = o.g, .dy = layout_of(o.y), .dx = layout_of(o.x)};
  const loops::ByInputCut cut(o.g, bytes, call.threads, room_of(call, bytes));
  if (!has_room(call, cut.weights + cut.each, bytes)) return false;
  arrays.place(InArray::packed, call.workspace_address, call.workspace_tensor);
  arrays.place(InArray::scratch, call.workspace_address + static_cast<uint64_t>(cut.weights * bytes),
               call.workspace_tensor);
  DescribedConvolution parts(call, o, arrays, sink);
  const loops::WeightPacking packing(o.g, o.weight.type.strides, false, bytes);
  packing.run({0, packing.rows()}, parts);
  for (int64_t unit = 0; unit < cut.units(o.g) && !sink.stopped(); ++unit)
    loops::convolution_by_input(shape, cut, unit, parts);
  return true;
}

bool by_weight(const OpCall& call, const ConvolutionOperands& o, PlacedArrays& arrays, AccessSink& sink) {
  const int64_t bytes = o.bytes();
  const loops::ByWeightShape shape{
      .g = o.g, .dy = layout_of(o.y), .x = layout_of(o.x), .weight = o.weight.type.strides};
  const loops::ByWeightCut cut(o.g, shape.across(), bytes, call.threads, room_of(call, bytes));
  if (!has_room(call, cut.each, bytes)) return false;
  arrays.place(InArray::scratch, call.workspace_address, call.workspace_tensor);
  DescribedConvolution parts(call, o, arrays, sink);
  for (int64_t unit = 0; unit < cut.units(o.g) && !sink.stopped(); ++unit)
    loops::convolution_by_weight(shape, cut, unit, parts);
  return true;
}

}  // namespace

ConvolutionOperands ConvolutionOperands::of(const OpCall& call) {
  const std::string_view op = call.node.op->name;
  const bool input = op.ends_with("_grad_input"), weight = op.ends_with("_grad_weight");
  const Operand &x = input    ? call.outputs[0]
                     : weight ? call.inputs[1]
                              : call.inputs[0],
                &w = weight ? call.outputs[0] : call.inputs[1], &y = input || weight ? call.inputs[0] : call.outputs[0];
  const size_t axes = x.type.shape.size() - 2;
  const Attributes& a = call.node.attributes;
  const std::vector<int64_t> ones(axes, 1), stride = a.get_ints("stride", ones),
                                            dilation = a.get_ints("dilation", ones),
                                            padding = a.get_ints("padding", std::vector<int64_t>(2 * axes, 0));
  return {.x = x,
          .weight = w,
          .y = y,
          .bias = !input && !weight && call.inputs.size() > 2 ? &call.inputs[2] : nullptr,
          .by_input = input,
          .by_weight = weight,
          .g = loops::convolution_geometry(x.type.shape, w.type.shape, y.type.shape, a.get_int("groups", 1), stride,
                                           dilation, padding)};
}

PlacedArrays::PlacedArrays(const ConvolutionOperands& o) : bytes_(o.bytes()) {
  place(InArray::x, o.x.address, o.x.tensor);
  place(InArray::weight, o.weight.address, o.weight.tensor);
  place(InArray::y, o.y.address, o.y.tensor);
  if (o.bias != nullptr) place(InArray::bias, o.bias->address, o.bias->tensor);
}

bool describe_own_convolution(const OpCall& call, AccessSink& sink) {
  if (!call.own_convolution) return false;
  for (const std::vector<Operand>* operands : {&call.inputs, &call.outputs}) {
    for (const Operand& o : *operands) {
      if (o.type.dtype != call.outputs[0].type.dtype || o.type.elements() == 0) return false;
    }
  }
  const int64_t rank = call.outputs[0].type.rank();
  if ((call.outputs[0].type.dtype != DType::float32 && call.outputs[0].type.dtype != DType::float64) ||
      (rank != 4 && rank != 5))
    return false;
  const ConvolutionOperands o = ConvolutionOperands::of(call);
  if (!has_room(call, o.weight.type.elements(), o.bytes())) return false;
  if (loops::is_depthwise(o.g, layout_of(o.by_input ? o.y : o.x), layout_of(o.by_input ? o.x : o.y)))
    return describe_depthwise(call, o, sink);
  PlacedArrays arrays(o);
  return o.by_input    ? by_input(call, o, arrays, sink)
         : o.by_weight ? by_weight(call, o, arrays, sink)
                       : forward(call, o, arrays, sink);
}

}  // namespace engine::access
