// SPDX-License-Identifier: Apache-2.0
// Access patterns by op type, and the I/O lower bound of matrix products.
#include "profiler/memory/op_access.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/capture/attribute.h"

namespace profiler {
namespace {

/// One product each, of the first two operands that are matrices.
constexpr std::string_view kMatrixProducts[] = {"matmul",
                                                "linear",
                                                "ladder_product",
                                                "matmul_integer",
                                                "qlinear_matmul",
                                                "conv2d",
                                                "conv2d_grad_input",
                                                "conv2d_grad_weight",
                                                "conv3d",
                                                "conv3d_grad_input",
                                                "conv3d_grad_weight",
                                                "conv_integer",
                                                "qlinear_conv"};
constexpr std::string_view kConvolutions[] = {"conv2d", "conv3d", "conv_integer", "qlinear_conv"};
constexpr std::string_view kFilteredOps[] = {"conv2d", "conv2d_grad_input", "conv2d_grad_weight"};  // by Winograd
constexpr std::string_view kTwoSweeps[] = {"batch_norm_training", "batch_norm_grad"};

/// Several products each, whose bound is not the sum of theirs, by the place of the inputs that these read again and
/// again: keys and values, or the weights of x and those of the states.
struct Products {
  std::string_view op;
  size_t first_input;
  bool step_by_step;
};
constexpr Products kSeveralProducts[] = {
    {"attention", 1, false}, {"attention_grad", 2, false}, {"lstm", 1, true}, {"lstm_grad", 4, true},
    {"gru", 1, true},        {"gru_grad", 3, true},        {"rnn", 1, true},  {"rnn_grad", 3, true}};

bool contains(auto& names, std::string_view wanted) {
  return std::find(std::begin(names), std::end(names), wanted) != std::end(names);
}

/// Of a fused op, named "conv2d+relu", the member that is not elementwise, which comes first.
std::string_view first_member(std::string_view op_type) { return op_type.substr(0, op_type.find('+')); }

const TensorRecord* tensor_of(const Capture& capture, const OperandRecord* operand) {
  return operand == nullptr ? nullptr : &capture.tensors()[operand->tensor];
}

/// Image, filters and result of a convolution or a gradient of one; all null: of another op.
struct ConvolutionTensors {
  const TensorRecord *x = nullptr, *w = nullptr, *y = nullptr;
};
ConvolutionTensors convolution_tensors(const Capture& capture, std::string_view type, const OperandRecord* in0,
                                       const OperandRecord* in1, const OperandRecord* out0) {
  const TensorRecord *first = tensor_of(capture, in0), *second = tensor_of(capture, in1),
                     *result = tensor_of(capture, out0);
  if (contains(kConvolutions, type)) return {.x = first, .w = second, .y = result};
  if (type.ends_with("_grad_input")) return {.x = result, .w = second, .y = first};
  if (type.ends_with("_grad_weight")) return {.x = second, .w = result, .y = first};
  return {};
}

/// Filter size over stride: how many windows of one filter an image element lies in.
double window_reuse(const Capture& capture, std::string_view type, const OperandRecord* in0, const OperandRecord* in1,
                    const OperandRecord* out0) {
  const auto [tx, tw, ty] = convolution_tensors(capture, type, in0, in1, out0);
  if (!tx || !tw || !ty || tx->shape.size() < 3 || tw->shape.size() != tx->shape.size() ||
      ty->shape.size() != tx->shape.size())
    return 1;
  const auto area = [](const TensorRecord& t) {
    double extents = 1;
    for (size_t axis = 2; axis < t.shape.size(); ++axis) extents *= static_cast<double>(t.shape[axis]);
    return extents;
  };
  if (area(*tx) <= 0) return 1;
  return std::clamp(area(*tw) * area(*ty) / area(*tx), 1.0, std::max(1.0, area(*tw)));
}

}  // namespace

bool is_matrix_product(std::string_view op_type) { return contains(kMatrixProducts, first_member(op_type)); }

int sweeps_over_inputs(std::string_view op_type) { return contains(kTwoSweeps, first_member(op_type)) ? 2 : 1; }

int threads_of(const Capture& capture, const OpRecord& op) {
  const int most = std::max(1, capture.run().threads);
  if (op.threads > 0) return std::min(op.threads, most);
  return capture.facts(op.id).single_thread ? 1 : most;
}

double MatrixAccess::lower_bound_bytes(double capacity_bytes) const {
  const double elements = std::max(1.0, capacity_bytes / element_bytes);
  return 2 * multiply_adds / std::sqrt(window_reuse * elements) * element_bytes;
}

namespace {

std::optional<MatrixAccess> several_products(const Capture& capture, const OpRecord& op, const Products& products) {
  std::vector<uint32_t> inputs;
  for (uint32_t i = op.first_operand; i < op.first_operand + op.operand_count; ++i) {
    if (!capture.operands()[i].output) inputs.push_back(i);
  }
  if (inputs.size() < products.first_input + 2) return {};
  const TensorRecord& before =
      capture.tensors()[capture.operands()[inputs[products.first_input - 1]].tensor];  // q or x
  MatrixAccess access;
  access.multiply_adds = op.flops / 2;
  for (size_t i = 0; i < 2; ++i) access.operands[i] = inputs[products.first_input + i];
  access.element_bytes = static_cast<double>(engine::size_bytes(before.dtype));
  if (products.step_by_step && before.shape.size() == 3)
    access.passes = std::max(1.0, static_cast<double>(before.shape[0]));
  access.bounds_op = false;
  return access;
}

}  // namespace

std::optional<MatrixAccess> matrix_access(const Capture& capture, const OpRecord& op) {
  const std::string_view type = first_member(capture.name(op.type));
  if (const auto* several = std::ranges::find(kSeveralProducts, type, &Products::op);
      several != std::end(kSeveralProducts))
    return several_products(capture, op, *several);
  if (!is_matrix_product(type)) return {};
  std::array<uint32_t, 2> inputs{};
  size_t found = 0;
  const OperandRecord* output = nullptr;
  for (uint32_t i = op.first_operand; i < op.first_operand + op.operand_count; ++i) {
    const OperandRecord& o = capture.operands()[i];
    if (o.output && output == nullptr) output = &o;
    const bool matrix = capture.tensors()[o.tensor].shape.size() >= 2;  // scales, zero points and biases are not
    if (!o.output && matrix && o.read_bytes > 0 && found < 2) inputs[found++] = i;
  }
  if (found < 2) return {};
  const OperandRecord& a = capture.operands()[inputs[0]];
  const OperandRecord& b = capture.operands()[inputs[1]];
  MatrixAccess access;
  const auto members = capture.fused_members(op.id);
  double flops = members.empty() ? op.flops : members.front().flops;
  access.bounds_op = capture.facts(op.id).winograd_tile == 0;
  if (!access.bounds_op) {  // FLOPs of members are those of their definitions, an op's are those that were done
    double defined = 0;
    for (const auto& member : members) defined += member.flops;
    flops -= std::max(0.0, defined - op.flops);
  }
  access.multiply_adds = flops / 2;
  access.operands[0] = inputs[0];
  access.operands[1] = inputs[1];
  access.element_bytes = static_cast<double>(engine::size_bytes(capture.tensors()[a.tensor].dtype));
  if (access.bounds_op) access.window_reuse = window_reuse(capture, type, &a, &b, output);
  return access;
}

bool prepares_weights(const Capture& capture) {
  const auto graph = capture.run().arguments.find("graph");
  const bool eager = graph != capture.run().arguments.end() && graph->second == "eager";
  return !eager && std::ranges::none_of(capture.ops(), [](const OpRecord& o) { return o.phase != Phase::forward; });
}

namespace {

/// Images or weights of a convolution that a file may hold.
bool has_extents(const TensorRecord* t) {
  return t != nullptr && t->shape.size() == 4 &&
         std::ranges::all_of(t->shape, [](int64_t extent) { return extent > 0; });
}

bool is_3x3(const TensorRecord* t) { return has_extents(t) && t->shape[2] == 3 && t->shape[3] == 3; }

}  // namespace

std::optional<TransformedWeights> transformed_weights(const Capture& capture, const OpRecord& op, bool prepared) {
  const int tile = capture.facts(op.id).winograd_tile;
  const std::string_view type = first_member(capture.name(op.type));
  const bool reads_weights = contains(kFilteredOps, type) && type != "conv2d_grad_weight";
  const auto matrices = tile == 0 || !reads_weights ? std::nullopt : matrix_access(capture, op);
  if (!matrices) return {};
  const uint32_t at = matrices->operands[1];
  const TensorRecord& weights = capture.tensors()[capture.operands()[at].tensor];
  if (!is_3x3(&weights)) return {};
  TransformedWeights made{.operand = at};
  made.bytes = static_cast<double>(tile + 2) * (tile + 2) * static_cast<double>(weights.shape[0]) *
               static_cast<double>(weights.shape[1]) *
               static_cast<double>(std::max<int64_t>(engine::size_bytes(weights.dtype), sizeof(float)));
  made.each_step = !prepared || weights.role != Role::weight;
  return made;
}

std::optional<double> direct_flops(const Capture& capture, const OpRecord& op) {
  const std::string_view type = first_member(capture.name(op.type));
  if (capture.facts(op.id).winograd_tile == 0 || !contains(kFilteredOps, type)) return {};
  const auto matrices = matrix_access(capture, op);
  if (!matrices) return {};
  const auto operands = capture.operands(op);
  const auto result = std::ranges::find_if(operands, &OperandRecord::output);
  const auto [x, w, y] =
      convolution_tensors(capture, type, &capture.operands()[matrices->operands[0]],
                          &capture.operands()[matrices->operands[1]], result == operands.end() ? nullptr : &*result);
  if (!has_extents(y) || !has_extents(x) || !is_3x3(w)) return {};
  double flops = 0;
  for (const auto& member : capture.fused_members(op.id)) flops += member.flops;
  if (flops > 0) return flops;
  flops = 2.0 * 9 * static_cast<double>(x->shape[1]);  // a product per result, tap and channel of an input
  for (const int64_t extent : y->shape) flops *= static_cast<double>(extent);
  return flops;
}

std::optional<ChainAccess> chain_access(const Capture& capture, const OpRecord& op) {
  if (capture.name(op.type) != "pointer_chase" || op.operand_count == 0) return {};
  const auto* count = attribute<int64_t>(capture, op.id, "accesses");
  const OperandRecord& next = capture.operands()[op.first_operand];
  if (count == nullptr || *count <= 0 || next.output) return {};
  const TensorRecord& t = capture.tensors()[next.tensor];
  ChainAccess access;
  access.operand = op.first_operand;
  access.loads = static_cast<double>(*count);
  access.load_bytes = static_cast<double>(engine::size_bytes(t.dtype));
  access.lines = std::min(access.loads, std::ceil(static_cast<double>(t.size_bytes) / ChainAccess::kLineBytes));
  if (access.lines < 1) return {};
  return access;
}

}  // namespace profiler
