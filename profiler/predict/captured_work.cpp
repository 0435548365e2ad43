// SPDX-License-Identifier: Apache-2.0
// Extents from tensors and attributes.
#include "profiler/predict/captured_work.h"

#include <algorithm>

#include "profiler/capture/attribute.h"

namespace profiler {
namespace {

constexpr int64_t kLargestTensor = int64_t{1} << 40;

std::string_view first_member(std::string_view op_type) { return op_type.substr(0, op_type.find('+')); }

std::vector<int64_t> list_of(const Capture& capture, OpId op, std::string_view key, std::vector<int64_t> otherwise) {
  const auto* list = attribute<std::vector<int64_t>>(capture, op, key);
  const bool usable = list != nullptr && list->size() >= otherwise.size() &&
                      std::ranges::all_of(*list, [](int64_t x) { return x > 0; });
  return usable ? *list : otherwise;
}

int64_t whole_of(const Capture& capture, OpId op, std::string_view key, int64_t otherwise) {
  const int64_t number = whole_attribute(capture, op, key, otherwise);
  return number > 0 ? number : otherwise;
}

/// Whether the last axis does not lie at stride 1 but the one before it does.
bool lies_along_rows(const TensorRecord& t) {
  const size_t rank = t.strides.size();
  return rank >= 2 && rank == t.shape.size() && t.strides[rank - 2] == 1 && t.strides[rank - 1] != 1;
}

}  // namespace

CapturedOperands captured_operands(const Capture& capture, const OpRecord& op) {
  CapturedOperands found;
  for (const OperandRecord& o : capture.operands(op))
    (o.output ? found.out : found.in).push_back(&capture.tensors()[o.tensor]);
  return found;
}

bool countable(const std::vector<int64_t>& shape) {
  double elements = 1;
  for (const int64_t extent : shape) elements *= static_cast<double>(extent);
  return !shape.empty() && std::ranges::all_of(shape, [](int64_t e) { return e > 0; }) &&
         elements < static_cast<double>(kLargestTensor);
}

bool is_product(std::string_view op_type) {
  const std::string_view type = first_member(op_type);
  return type == "matmul" || type == "linear" || type == "ladder_product";
}

std::optional<ConvolutionPass> convolution_pass(std::string_view op_type) {
  const std::string_view type = first_member(op_type);
  if (type == "conv2d") return ConvolutionPass::forward;
  if (type == "conv2d_grad_input") return ConvolutionPass::input_gradient;
  if (type == "conv2d_grad_weight") return ConvolutionPass::weight_gradient;
  return {};
}

// matmul(a [..., m, k], b [..., k, n]) and linear(x [..., k], weight [n, k]), row-major: the transposed product,
// column-major.
std::optional<GpuProduct> captured_product(const Capture& capture, const OpRecord& op) {
  if (!is_product(capture.name(op.type))) return {};
  const CapturedOperands o = captured_operands(capture, op);
  if (o.in.size() < 2 || o.out.empty()) return {};
  const TensorRecord &a = *o.in[0], &b = *o.in[1], &c = *o.out[0];
  if (a.shape.size() < 2 || b.shape.size() < 2 || c.shape.size() < 2 || !countable(a.shape) || !countable(b.shape) ||
      !countable(c.shape))
    return {};
  const bool linear = first_member(capture.name(op.type)) == "linear";
  GpuProduct p{.rows = c.shape.back(), .columns = c.shape[c.shape.size() - 2], .depth = a.shape.back()};
  if (b.shape[b.shape.size() - (linear ? 1 : 2)] != p.depth) return {};
  int64_t leading = 1;
  for (size_t i = 0; i + 2 < c.shape.size(); ++i) leading *= c.shape[i];
  (b.shape.size() == 2 ? p.columns : p.batch) *= leading;
  p.left_transposed = linear != lies_along_rows(b);
  p.right_transposed = lies_along_rows(a);
  return p;
}

std::optional<GpuConvolution> captured_convolution(const Capture& capture, const OpRecord& op) {
  const auto pass = convolution_pass(capture.name(op.type));
  const CapturedOperands o = captured_operands(capture, op);
  if (!pass || o.in.size() < 2 || o.out.empty()) return {};
  const TensorRecord *x = o.in[0], *w = o.in[1], *y = o.out[0];
  if (*pass == ConvolutionPass::input_gradient) y = o.in[0], x = o.out[0];
  if (*pass == ConvolutionPass::weight_gradient) y = o.in[0], x = o.in[1], w = o.out[0];
  for (const TensorRecord* t : {x, w, y}) {
    if (t->shape.size() != 4 || !countable(t->shape)) return {};
  }
  const auto stride = list_of(capture, op.id, "stride", {1, 1});
  const GpuConvolution c{.batch = x->shape[0],
                         .channels = x->shape[1],
                         .filters = y->shape[1],
                         .height = x->shape[2],
                         .width = x->shape[3],
                         .out_height = y->shape[2],
                         .out_width = y->shape[3],
                         .kernel_height = w->shape[2],
                         .kernel_width = w->shape[3],
                         .stride_height = stride[0],
                         .stride_width = stride[1],
                         .groups = whole_of(capture, op.id, "groups", 1)};
  const bool fits = y->shape[0] == c.batch && w->shape[0] == c.filters && c.groups <= c.channels &&
                    w->shape[1] == c.channels / c.groups;
  return fits ? std::optional(c) : std::nullopt;
}

}  // namespace profiler
