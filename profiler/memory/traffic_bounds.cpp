// SPDX-License-Identifier: Apache-2.0
// Bounds from shapes and attributes alone.
#include "profiler/memory/traffic_bounds.h"

#include <algorithm>
#include <cmath>

#include "profiler/capture/attribute.h"
#include "profiler/memory/op_access.h"

namespace profiler {
namespace {

/// An attribute that is a list of at least `least` numbers; else nothing.
std::optional<std::vector<int64_t>> list_of(const Capture& c, OpId op, std::string_view key, size_t least) {
  const auto* list = attribute<std::vector<int64_t>>(c, op, key);
  return list != nullptr && list->size() >= least ? std::optional(*list) : std::nullopt;
}

}  // namespace

TrafficBounds traffic_bounds(const Capture& capture, const OpRecord& op, double capacity_bytes) {
  TrafficBounds bounds;
  for (const OperandRecord& o : capture.operands(op)) {
    bounds.compulsory_read += static_cast<double>(o.read_bytes);
    bounds.compulsory_written += static_cast<double>(o.written_bytes);
  }
  if (std::isnan(op.flops)) bounds.compulsory_read = bounds.compulsory_written = kUnknownBytes;
  bounds.lower_bound = kUnknownBytes;
  const auto access = matrix_access(capture, op);
  if (!access || !access->bounds_op || !(capacity_bytes > 0)) return bounds;
  bounds.lower_bound =
      std::max(access->lower_bound_bytes(capacity_bytes), bounds.compulsory_read) + bounds.compulsory_written;
  return bounds;
}

std::optional<LayerCondition> layer_condition(const Capture& capture, const OpRecord& op) {
  const std::string_view whole = capture.name(op.type),
                         type = whole.substr(0, whole.find('+'));  // of a fused op: what comes first
  const bool convolution = type == "conv2d";
  if (!convolution && type != "max_pool" && type != "average_pool" && type != "max_pool2d" && type != "average_pool2d")
    return {};
  const auto operands = capture.operands(op);
  if (operands.size() < 2) return {};
  const TensorRecord& x = capture.tensors()[operands[0].tensor];
  const auto stride = list_of(capture, op.id, "stride", 1);
  if (x.shape.size() != 4 || !stride || stride->front() <= 0) return {};
  double height = 0, channels = 1;
  if (convolution) {
    const TensorRecord& w = capture.tensors()[operands[1].tensor];
    if (w.shape.size() != 4) return {};
    height = static_cast<double>(w.shape[2]);
    channels = static_cast<double>(w.shape[1]);  // of one group: all of them are summed for each result
  } else {
    const auto kernel = list_of(capture, op.id, "kernel", 1);
    if (!kernel) return {};
    height = static_cast<double>(kernel->front());
    if (x.strides.size() == 4 && x.strides[1] == 1)
      channels = static_cast<double>(x.shape[1]);  // channels lie between the columns
  }
  const auto dilation = list_of(capture, op.id, "dilation", 1);
  const double reach = (height - 1) * (dilation ? static_cast<double>(dilation->front()) : 1) + 1;
  const auto bytes = static_cast<double>(engine::size_bytes(x.dtype));
  LayerCondition condition;
  condition.rows_bytes = reach * static_cast<double>(x.shape[3]) * channels * bytes;
  condition.image_bytes = static_cast<double>(operands[0].read_bytes);
  condition.uses = std::max(1.0, height / static_cast<double>(stride->front()));
  return condition;
}

}  // namespace profiler
