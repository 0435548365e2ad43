// SPDX-License-Identifier: Apache-2.0
// The catalog of descriptions, walks over strided tensors, and what is assumed of all other ops.
#include "engine/kernels/core/describe_access.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/check.h"
#include "engine/graph/fused.h"
#include "engine/kernels/core/walk_loops.h"

namespace engine::access {
namespace {

struct Entry {
  std::string_view op;
  bool (*describe)(const OpCall&, AccessSink&);
  Fidelity fidelity;
  bool widens = false;  ///< the kernels have no loops for 16-bit floats: such operands go by f32 copies, whether or not
                        ///< a kernel's name says so
};
constexpr bool kWidens = true;

bool has_16_bit_floats(const OpCall& call) {
  const auto narrow = [](const Operand& o) { return is_16_bit_float(o.type.dtype); };
  return std::ranges::any_of(call.inputs, narrow) || std::ranges::any_of(call.outputs, narrow);
}

/// Of ops that products of libraries may be in.
template <bool (*is_own)(const OpCall&), bool (*describe)(const OpCall&, AccessSink&)>
bool own(const OpCall& call, AccessSink& sink) {
  return is_own(call) && describe(call, sink);
}
bool has_own_products(const OpCall& call) { return call.own_products; }

/// The first that takes the op describes it; what none here takes is `assumed`, and what is not here, too, where it is
/// no elementwise op.
constexpr std::array kEntries{
    Entry{"matmul", describe_matrix_product, Fidelity::loops},
    Entry{"linear", describe_matrix_product, Fidelity::loops},
    Entry{"matmul_integer", describe_matrix_product, Fidelity::modelled},
    Entry{"ladder_product", describe_ladder, Fidelity::loops},
    Entry{"conv2d", describe_winograd, Fidelity::loops},
    Entry{"conv2d_grad_input", describe_winograd, Fidelity::loops},
    Entry{"conv2d_grad_weight", describe_winograd, Fidelity::loops},
    Entry{"conv2d", describe_own_convolution, Fidelity::loops, kWidens},
    Entry{"conv2d_grad_input", describe_own_convolution, Fidelity::loops, kWidens},
    Entry{"conv2d_grad_weight", describe_own_convolution, Fidelity::loops, kWidens},
    Entry{"conv3d", describe_own_convolution, Fidelity::loops, kWidens},
    Entry{"conv3d_grad_input", describe_own_convolution, Fidelity::loops, kWidens},
    Entry{"conv3d_grad_weight", describe_own_convolution, Fidelity::loops, kWidens},
    Entry{"conv2d", describe_convolution, Fidelity::modelled},
    Entry{"conv2d_grad_input", describe_convolution, Fidelity::modelled},
    Entry{"conv2d_grad_weight", describe_convolution, Fidelity::modelled},
    Entry{"conv3d", describe_convolution, Fidelity::modelled},
    Entry{"conv3d_grad_input", describe_convolution, Fidelity::modelled},
    Entry{"conv3d_grad_weight", describe_convolution, Fidelity::modelled},
    Entry{"softmax", describe_softmax, Fidelity::loops, kWidens},
    Entry{"softmax_grad", describe_softmax, Fidelity::loops, kWidens},
    Entry{"log_softmax", describe_softmax, Fidelity::loops, kWidens},
    Entry{"layer_norm", describe_norm, Fidelity::loops, kWidens},
    Entry{"rms_norm", describe_norm, Fidelity::loops, kWidens},
    Entry{"softmax_cross_entropy", describe_cross_entropy, Fidelity::loops, kWidens},
    Entry{"batch_norm_training", describe_batch_norm_training, Fidelity::loops, kWidens},
    Entry{"batch_norm_training", describe_batch_norm_by_sweeps, Fidelity::modelled},
    Entry{"batch_norm_grad", describe_batch_norm_grad, Fidelity::loops, kWidens},
    Entry{"batch_norm_grad", describe_batch_norm_by_sweeps, Fidelity::modelled},
    Entry{"batch_norm_inference", describe_batch_norm_inference, Fidelity::loops, kWidens},
    Entry{"batch_norm_inference", describe_batch_norm_by_sweeps, Fidelity::modelled},
    Entry{"layer_norm_grad", describe_norm_grad, Fidelity::loops, kWidens},
    Entry{"rms_norm_grad", describe_norm_grad, Fidelity::loops, kWidens},
    Entry{"log_softmax_grad", describe_softmax, Fidelity::loops, kWidens},
    Entry{"softmax_cross_entropy_grad", describe_cross_entropy_grad, Fidelity::loops, kWidens},
    Entry{"batch_norm_inference_grad", describe_batch_norm_by_sweeps, Fidelity::modelled},
    Entry{"max_pool2d", describe_pooling, Fidelity::loops, kWidens},
    Entry{"max_pool2d", describe_pooling_by_rows, Fidelity::modelled},
    Entry{"average_pool2d", describe_pooling, Fidelity::loops, kWidens},
    Entry{"average_pool2d", describe_pooling_by_rows, Fidelity::modelled},
    Entry{"max_pool2d_grad", describe_max_pooling_grad, Fidelity::modelled, kWidens},
    Entry{"max_pool2d_grad", describe_pooling_grad_by_rows, Fidelity::modelled},
    Entry{"average_pool2d_grad", describe_average_pooling_grad, Fidelity::loops, kWidens},
    Entry{"average_pool2d_grad", describe_pooling_grad_by_rows, Fidelity::modelled},
    Entry{"sum", describe_reduction, Fidelity::loops, kWidens},
    Entry{"sum", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"mean", describe_reduction, Fidelity::loops, kWidens},
    Entry{"mean", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"log_sum", describe_reduction, Fidelity::loops, kWidens},
    Entry{"log_sum", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"l1_norm", describe_reduction, Fidelity::loops, kWidens},
    Entry{"l1_norm", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"l2_norm", describe_reduction, Fidelity::loops, kWidens},
    Entry{"l2_norm", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"sum_of_squares", describe_reduction, Fidelity::loops, kWidens},
    Entry{"sum_of_squares", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"reduce_max", describe_reduction, Fidelity::loops, kWidens},
    Entry{"reduce_max", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"reduce_min", describe_reduction, Fidelity::loops, kWidens},
    Entry{"reduce_min", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"product", describe_reduction, Fidelity::loops, kWidens},
    Entry{"product", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"log_sum_exp", describe_reduction, Fidelity::loops, kWidens},
    Entry{"log_sum_exp", describe_reduction_by_walk, Fidelity::modelled},
    Entry{"argmax", describe_arg, Fidelity::modelled},
    Entry{"argmax", describe_once, Fidelity::modelled},
    Entry{"argmin", describe_arg, Fidelity::modelled},
    Entry{"argmin", describe_once, Fidelity::modelled},
    Entry{"hardmax", describe_hardmax, Fidelity::modelled, kWidens},
    Entry{"hardmax", describe_once, Fidelity::modelled},
    Entry{"group_norm", describe_group_norm, Fidelity::loops, kWidens},
    Entry{"group_norm", describe_group_norm_by_sweeps, Fidelity::modelled},
    Entry{"group_norm_grad", describe_group_norm_grad, Fidelity::loops, kWidens},
    Entry{"group_norm_grad", describe_group_norm_by_sweeps, Fidelity::modelled},
    Entry{"lstm", own<has_own_products, describe_recurrent>, Fidelity::loops, kWidens},
    Entry{"lstm", describe_recurrent, Fidelity::modelled, kWidens},
    Entry{"lstm_grad", own<has_own_products, describe_recurrent_grad>, Fidelity::loops, kWidens},
    Entry{"lstm_grad", describe_recurrent_grad, Fidelity::modelled, kWidens},
    Entry{"gru", own<has_own_products, describe_recurrent>, Fidelity::loops, kWidens},
    Entry{"gru", describe_recurrent, Fidelity::modelled, kWidens},
    Entry{"gru_grad", own<has_own_products, describe_recurrent_grad>, Fidelity::loops, kWidens},
    Entry{"gru_grad", describe_recurrent_grad, Fidelity::modelled, kWidens},
    Entry{"rnn", own<has_own_products, describe_recurrent>, Fidelity::loops, kWidens},
    Entry{"rnn", describe_recurrent, Fidelity::modelled, kWidens},
    Entry{"rnn_grad", own<has_own_products, describe_recurrent_grad>, Fidelity::loops, kWidens},
    Entry{"rnn_grad", describe_recurrent_grad, Fidelity::modelled, kWidens},
    Entry{"attention", own<is_own_attention, describe_attention>, Fidelity::loops, kWidens},
    Entry{"attention", describe_attention, Fidelity::modelled, kWidens},
    Entry{"attention_grad", own<is_own_attention, describe_attention_grad>, Fidelity::loops, kWidens},
    Entry{"attention_grad", describe_attention_grad, Fidelity::modelled, kWidens},
    Entry{"pointer_chase", describe_chase, Fidelity::modelled},
    Entry{"gather_grad", describe_gather_grad, Fidelity::modelled, kWidens},
    Entry{"gather_grad", describe_once, Fidelity::modelled},
    Entry{"clip_by_norm", describe_clip, Fidelity::loops, kWidens},
    Entry{"clip_by_norm", describe_once, Fidelity::modelled},
    Entry{"cumulative_sum", describe_cumulative_sum, Fidelity::loops, kWidens},
    Entry{"cumulative_sum", describe_once, Fidelity::modelled},
    Entry{"dynamic_quantize_linear", describe_dynamic_quantization, Fidelity::loops},
    Entry{"dynamic_quantize_linear", describe_once, Fidelity::modelled},
    Entry{"local_response_norm", describe_response_norm, Fidelity::loops, kWidens},
    Entry{"local_response_norm", describe_once, Fidelity::modelled},
    Entry{"local_response_norm_grad", describe_response_norm, Fidelity::loops, kWidens},
    Entry{"local_response_norm_grad", describe_once, Fidelity::modelled},
    Entry{"squared_norm", describe_once, Fidelity::loops},
    Entry{"found_nonfinite", describe_once, Fidelity::loops},
    Entry{"global_average_pool", describe_pooling, Fidelity::loops, kWidens},
    Entry{"global_average_pool", describe_once, Fidelity::modelled},
    Entry{"global_average_pool_grad", describe_average_pooling_grad, Fidelity::loops, kWidens},
    Entry{"global_average_pool_grad", describe_once, Fidelity::modelled},
    Entry{"concat", describe_concat, Fidelity::loops},
    Entry{"max_pool3d", describe_volume_pooling, Fidelity::loops, kWidens},
    Entry{"max_pool3d", describe_once, Fidelity::modelled},
    Entry{"max_pool3d_grad", describe_max_volume_pooling_grad, Fidelity::modelled, kWidens},
    Entry{"max_pool3d_grad", describe_once, Fidelity::modelled},
    Entry{"average_pool3d", describe_volume_pooling, Fidelity::loops, kWidens},
    Entry{"average_pool3d", describe_once, Fidelity::modelled},
    Entry{"average_pool3d_grad", describe_average_volume_pooling_grad, Fidelity::loops, kWidens},
    Entry{"average_pool3d_grad", describe_once, Fidelity::modelled},
    Entry{"resize", describe_nearest_resize, Fidelity::loops},
    Entry{"resize", describe_resize, Fidelity::loops, kWidens},
    Entry{"resize", describe_once, Fidelity::modelled},
    Entry{"resize_grad", describe_resize_grad, Fidelity::loops, kWidens},
    Entry{"resize_grad", describe_once, Fidelity::modelled},
    Entry{"pad", describe_pad, Fidelity::loops},
    Entry{"pad", describe_once, Fidelity::modelled},
    Entry{"pad_grad", describe_once, Fidelity::modelled},
    Entry{"slice_grad", describe_slice_grad, Fidelity::loops},
    Entry{"one_hot", describe_one_hot, Fidelity::modelled},
    Entry{"one_hot", describe_once, Fidelity::modelled},
    Entry{"tile", describe_tile, Fidelity::loops},
    Entry{"tile", describe_once, Fidelity::modelled},
    Entry{"write_slice", describe_write_slice, Fidelity::loops},
    Entry{"round_trip", describe_round_trip, Fidelity::modelled},
    Entry{"gather", describe_gather, Fidelity::modelled},
    Entry{"gather", describe_once, Fidelity::modelled},
    Entry{"embedding_bag", describe_embedding_bag, Fidelity::modelled, kWidens},
    Entry{"embedding_bag", describe_once, Fidelity::modelled},
    Entry{"gather_elements", describe_gather_elements, Fidelity::modelled},
    Entry{"scatter_elements", describe_scatter_elements, Fidelity::modelled},  // as they are where updates replace
    Entry{"scatter_elements", describe_scatter_elements, Fidelity::modelled, kWidens},
    Entry{"scatter_nd", describe_scatter_nd, Fidelity::modelled},  // likewise
    Entry{"scatter_nd", describe_scatter_nd, Fidelity::modelled, kWidens},
    Entry{"mixed_linear", describe_once, Fidelity::modelled},
    Entry{"expert_linear", describe_experts, Fidelity::modelled},
    Entry{"triangle", describe_triangle, Fidelity::loops},
    Entry{"triangle", describe_once, Fidelity::modelled},
};

bool listed(std::string_view op) { return std::ranges::find(kEntries, op, &Entry::op) != kEntries.end(); }

/// Ops whose operands may all have one shape, and whose elements do not go one by one all the same.
bool goes_otherwise(std::string_view op) {
  constexpr std::array<std::string_view, 8> kOps{"cholesky",         "gather_elements", "inverse", "qr",
                                                 "scatter_elements", "scatter_nd",      "solve",   "top_k"};
  return std::ranges::find(kOps, op) != kOps.end();
}

/// Whether every operand broadcasts to the first output, so that one walk over it describes the op; further results may
/// be single numbers, such as counters.
bool elementwise(const OpCall& call) {
  if (call.outputs.empty() || call.inputs.size() + call.outputs.size() > 16) return false;
  const Shape& shape = call.outputs[0].type.shape;
  const auto fits = [&](const Operand& o) {
    const Shape& s = o.type.shape;
    if (s.size() > shape.size()) return false;
    for (size_t i = 0; i < s.size(); ++i) {
      const int64_t whole = shape[shape.size() - s.size() + i];
      if (s[i] != whole && s[i] != 1) return false;
    }
    return true;
  };
  const auto same = [&](const Operand& o) { return o.type.shape == shape || o.type.elements() == 1; };
  return std::ranges::all_of(call.inputs, fits) && std::ranges::all_of(call.outputs, same);
}

bool describe_elementwise(const OpCall& call, AccessSink& sink) {
  if (!elementwise(call)) return false;
  const Shape& shape = call.outputs[0].type.shape;
  std::vector<WalkOperand> operands;
  for (const Operand& o : call.inputs) operands.push_back(part_of_walk(o, shape, AccessKind::load));
  for (const Operand& o : std::span(call.outputs).subspan(1)) {
    if (o.type.shape == shape) operands.push_back(part_of_walk(o, shape, AccessKind::store));
    else walk_alone(o, AccessKind::store, sink);
  }
  operands.push_back(part_of_walk(call.outputs[0], shape, AccessKind::store));
  walk_tiles(shape, operands, sink);
  return true;
}

}  // namespace

std::string_view name(Fidelity fidelity) {
  constexpr std::array<std::string_view, 3> names{"loops", "modelled", "assumed"};
  return names[static_cast<size_t>(fidelity)];
}

WalkOperand part_of_walk(const Operand& operand, const Shape& shape, AccessKind kind) {
  const auto bytes = static_cast<int64_t>(size_bytes(operand.type.dtype));
  WalkOperand part{operand.address, std::vector<int64_t>(shape.size(), 0), operand.tensor, static_cast<uint16_t>(bytes),
                   kind};
  const size_t missing = shape.size() - operand.type.shape.size();
  for (size_t i = 0; i < operand.type.shape.size(); ++i) {
    if (operand.type.shape[i] != 1) part.strides[missing + i] = operand.type.strides[i] * bytes;
  }
  return part;
}

namespace {

constexpr int kMost = 16;

/// In tiles where `tiles`, else row by row.
void walk(const Shape& shape, const std::vector<WalkOperand>& operands, bool tiles, AccessSink& sink) {
  CHECK(!operands.empty() && operands.size() <= kMost);
  if (std::ranges::find(shape, 0) != shape.end()) return;
  using Nest = loops::RowNest<kMost>;
  std::vector<Nest::Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    axes.push_back({.extent = shape[i]});
    for (size_t k = 0; k < operands.size(); ++k) axes.back().stride[k] = operands[k].strides[i];
  }
  const int count = static_cast<int>(operands.size());
  Nest nest = loops::make_row_nest<kMost>(std::move(axes), count, count - 1);
  if (tiles) {
    std::array<int64_t, kMost> bytes{};
    for (size_t k = 0; k < operands.size(); ++k) bytes[k] = operands[k].bytes;
    nest = loops::tiled<kMost>(std::move(nest), bytes);
  }
  struct Rows {
    const Nest& nest;
    std::vector<AccessStream> streams;
    AccessSink& sink;
    bool stopped() const { return sink.stopped(); }
    void row(const std::array<uint64_t, kMost>& at) {
      for (size_t k = 0; k < streams.size(); ++k) streams[k].address = at[k];
      sink.group(nest.inner, streams);
    }
  } rows{nest, {}, sink};
  std::array<uint64_t, kMost> base{};
  for (size_t k = 0; k < operands.size(); ++k) {
    base[k] = operands[k].address;
    rows.streams.push_back(
        {operands[k].address, nest.inner_stride[k], operands[k].tensor, operands[k].bytes, operands[k].kind});
  }
  loops::walk_rows(nest, base, {0, nest.rows()}, rows);
}

}  // namespace

void walk(const Shape& shape, const std::vector<WalkOperand>& operands, AccessSink& sink) {
  walk(shape, operands, false, sink);
}

void walk_tiles(const Shape& shape, const std::vector<WalkOperand>& operands, AccessSink& sink) {
  walk(shape, operands, true, sink);
}

void walk_alone(const Operand& operand, AccessKind kind, AccessSink& sink) {
  // An axis of stride 0 names the same elements again and again: once is enough.
  Operand dense = operand;
  for (size_t i = 0; i < dense.type.shape.size(); ++i) {
    if (dense.type.strides[i] == 0 && dense.type.shape[i] > 1) dense.type.shape[i] = 1;
  }
  walk(dense.type.shape, {part_of_walk(dense, dense.type.shape, kind)}, sink);
}

Fidelity describe(const OpCall& call, AccessSink& sink) {
  if (call.node.op->view != nullptr) return Fidelity::loops;
  if (call.node.op->program != nullptr) {
    const Op& first = *call.node.op->program(call.node.attributes).members[0].op;
    return describe_fused(call, listed(first.name) || first.matrix_product, sink);
  }
  const bool narrow = has_16_bit_floats(call);
  const auto describes = [&](bool (*describe)(const OpCall&, AccessSink&), bool widens) {
    const OperandCopies copies{.widens = call.copies.widens || (widens && narrow), .layout = call.copies.layout};
    return copies.any() ? describe_on_copies(call, copies, describe, sink) : describe(call, sink);
  };
  for (const Entry& entry : kEntries) {
    if (entry.op != call.node.op->name || !describes(entry.describe, entry.widens)) continue;
    const bool by_library = call.node.attributes.get_int("library", 0) != 0 ||
                            call.copies.layout != CopyLayout::as_it_lies;  // copies may be
    return entry.fidelity == Fidelity::loops && by_library ? Fidelity::modelled : entry.fidelity;
  }
  if (!call.node.op->matrix_product && describes(describe_elementwise, false))
    return listed(call.node.op->name) || goes_otherwise(call.node.op->name) ? Fidelity::assumed : Fidelity::loops;
  for (const Operand& o : call.inputs) walk_alone(o, AccessKind::load, sink);
  for (const Operand& o : call.outputs) walk_alone(o, AccessKind::store, sink);
  return Fidelity::assumed;
}

}  // namespace engine::access
