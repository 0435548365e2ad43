// SPDX-License-Identifier: Apache-2.0
// Copies between host and GPU, and the ops that only move bytes.
#include "engine/cuda/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/cuda/context.h"
#include "engine/cuda/kernels.h"
#include "engine/tensor/device_name.h"
#include "engine/tensor/element.h"
#include "engine/tensor/staged_copy.h"

namespace engine::cuda {
namespace {

Result<void> as_result(cudaError_t code) {
  if (code == cudaSuccess) return {};
  return refused_error(fmt::format("[copy] the GPU reports {}", error_words(code)));
}

/// On this GPU, in any two layouts.
Result<void> copy_here(Context& context, const Tensor& from, const Tensor& to) {
  const std::optional<StridedCopy> copy = plan_copy(from, to);
  if (!copy)
    return refused_error(fmt::format("[copy] {} has more axes than can be copied on cuda", to_string(from.type())));
  return as_result(launch(context.launcher, *copy));
}

/// The bytes as they are: both tensors are dense in one layout.
Result<void> copy_bytes(Context& context, const Tensor& from, const Tensor& to) {
  const int64_t bytes = from.type().elements() * size_bytes(from.dtype());
  std::byte *source = lowest_address(from), *target = lowest_address(to);
  if (context.pageable && on_host(from) != on_host(to)) {
    const auto way = on_host(from) ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const cudaError_t code = cudaMemcpyAsync(target, source, static_cast<size_t>(bytes), way, context.launcher.stream);
    return as_result(code == cudaSuccess ? cudaStreamSynchronize(context.launcher.stream) : code);
  }
  if (on_host(from)) return as_result(context.staging->upload(target, source, bytes, context.launcher.stream));
  if (on_host(to)) return as_result(context.staging->download(target, source, bytes, context.launcher.stream));
  const int from_index = from.storage()->device().index, to_index = to.storage()->device().index;
  if (from_index == to_index) {
    return as_result(
        cudaMemcpyAsync(target, source, static_cast<size_t>(bytes), cudaMemcpyDeviceToDevice, context.launcher.stream));
  }
  // Between GPUs nothing else orders the two: wait for what the other one still computes, and for the copy.
  const int other = from_index == context.index ? to_index : from_index;
  cudaError_t code = use_device(other);
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  context.activate();
  if (code == cudaSuccess) {
    code =
        cudaMemcpyPeerAsync(target, to_index, source, from_index, static_cast<size_t>(bytes), context.launcher.stream);
  }
  if (code == cudaSuccess) code = cudaStreamSynchronize(context.launcher.stream);
  return as_result(code);
}

}  // namespace

Result<void> copy_tensor(Context& context, const Tensor& from, const Tensor& to) {
  if (from.shape() != to.shape() || from.dtype() != to.dtype()) {
    return usage_error(fmt::format("[copy] {} does not fit {}", to_string(from.type()), to_string(to.type())));
  }
  if (from.type().elements() == 0) return {};
  for (const Tensor& side : {from, to}) {
    const Device& device = side.storage()->device();
    if (on_host(side) || device.kind == context.info.device.kind) continue;
    return refused_error(fmt::format("[copy] {} cannot access {}: copy to the host first",
                                     to_string(context.info.device), to_string(device)));
  }
  context.activate();
  if (on_host(from) && on_host(to)) {
    copy_elements(from, to);
    return {};
  }
  if (from.strides() == to.strides() && is_dense(from.shape(), from.strides())) return copy_bytes(context, from, to);
  if (!on_host(from) && from.storage()->device() == to.storage()->device()) return copy_here(context, from, to);
  for (const Tensor& side : {from, to}) {
    if (!on_host(side) && side.storage()->device().index != context.index &&
        !is_contiguous(side.shape(), side.strides())) {
      return refused_error(fmt::format("[copy] {} on {} must be row-major to be copied from or to another GPU",
                                       to_string(side.type()), to_string(side.storage()->device())));
    }
  }
  return copy_through_row_major(
      {.allocate = [&](int64_t bytes) { return context.memory->allocate(bytes); },
       .rearrange = [&](const Tensor& a, const Tensor& b) { return copy_here(context, a, b); },
       .move = [&](const Tensor& a, const Tensor& b) { return copy_bytes(context, a, b); }},
      from, to);
}

namespace {

constexpr int64_t kWidestUnit = 16, kShortestSide = 16;  // bytes; elements of a side that is worth a tile: ours

/// Whether steps of `lanes` elements along the last axis, which is dense in all operands, begin at multiples of that.
template <int N>
bool steps_are_aligned(const Walk<N>& walk, int64_t lanes, int64_t bytes, const std::array<const void*, N>& addresses) {
  const int last = walk.axes - 1;
  bool aligned = walk.extents[last] % lanes == 0;
  for (size_t n = 0; n < N; ++n) {
    aligned = aligned && walk.strides[n][last] == 1 &&
              reinterpret_cast<uintptr_t>(addresses[n]) % static_cast<uintptr_t>(lanes * bytes) == 0;
    for (int axis = 0; axis < last; ++axis) aligned = aligned && walk.strides[n][axis] % lanes == 0;
  }
  return aligned;
}

/// In the widest units that neighbours can be moved in.
template <int N>
void widen(Walk<N>& walk, int64_t& element_bytes, const std::array<const void*, N>& addresses) {
  if (walk.axes == 0 || walk.count == 0) return;
  int64_t lanes = kWidestUnit / element_bytes;
  while (lanes > 1 && !steps_are_aligned<N>(walk, lanes, element_bytes, addresses)) lanes /= 2;
  element_bytes *= lanes;
  walk.count /= lanes;
  walk.extents[walk.axes - 1] /= lanes;
  for (auto& strides : walk.strides) {
    for (int axis = 0; axis + 1 < walk.axes; ++axis) strides[axis] /= lanes;
  }
  set_divisions(walk);
}

/// Where neighbours in the result are none in the source, and the source's are along another axis.
Turn turned_over(const StridedCopy& copy) {
  Turn turn;
  const Walk<2>& walk = copy.walk;
  const int down = walk.axes - 1;
  int across = down;
  for (int axis = 0; axis < down; ++axis) across = walk.strides[1][axis] == 1 ? axis : across;
  if (walk.axes < 2 || across == down || walk.strides[0][down] != 1 || walk.strides[1][down] == 1) return turn;
  if (walk.extents[across] < kShortestSide || walk.extents[down] < kShortestSide) return turn;
  turn.across = walk.extents[across];
  turn.down = walk.extents[down];
  turn.from_stride = walk.strides[1][down];
  turn.to_stride = walk.strides[0][across];
  const int64_t lanes = kWidestUnit / copy.element_bytes;
  turn.wide = turn.across % lanes == 0 && turn.down % lanes == 0 && turn.from_stride % lanes == 0 &&
              turn.to_stride % lanes == 0 && reinterpret_cast<uintptr_t>(copy.from) % kWidestUnit == 0 &&
              reinterpret_cast<uintptr_t>(copy.to) % kWidestUnit == 0;
  Walk<2>& rest = turn.matrices;
  rest.count = walk.count / (turn.across * turn.down);
  for (int axis = 0; axis < down; ++axis) {
    if (axis == across) continue;
    rest.extents[rest.axes] = walk.extents[axis];
    for (int n = 0; n < 2; ++n) {
      rest.strides[n][rest.axes] = walk.strides[n][axis];
      turn.wide = turn.wide && walk.strides[n][axis] % lanes == 0;
    }
    ++rest.axes;
  }
  set_divisions(rest);
  return turn;
}

}  // namespace

std::optional<StridedCopy> plan_copy(const Tensor& from, const Tensor& to) {
  const auto walk =
      make_walk<2>(to.shape(), {to.strides(), broadcast_strides(from.shape(), from.strides(), to.shape())});
  if (!walk) return std::nullopt;
  StridedCopy copy{to.data(), from.data(), size_bytes(to.dtype()), *walk, {}};
  if (copy.walk.count == 0) return copy;
  copy.turn = turned_over(copy);
  if (copy.turn.across == 0) widen<2>(copy.walk, copy.element_bytes, {copy.to, copy.from});
  return copy;
}

std::optional<StridedFill> plan_fill(const Tensor& to, double value) {
  const auto walk = make_walk<1>(to.shape(), {to.strides()});
  if (!walk) return std::nullopt;
  StridedFill fill{to.data(), size_bytes(to.dtype()), 0, *walk};
  std::byte bits[sizeof(uint64_t)] = {};
  store_element(to.dtype(), bits, value);
  for (size_t i = static_cast<size_t>(fill.element_bytes); i < sizeof bits; ++i)
    bits[i] = bits[i - static_cast<size_t>(fill.element_bytes)];
  std::memcpy(&fill.bits, bits, sizeof bits);
  widen<1>(fill.walk, fill.element_bytes, {fill.to});
  return fill;
}

namespace {

PreparedKernel prepare_copies(Context& context, const PrepareRequest& request, std::optional<StridedFill> fill,
                              std::vector<std::pair<Tensor, Tensor>> pairs) {
  std::vector<StridedCopy> copies;
  for (const auto& [from, to] : pairs) {
    if (from.type().elements() == 0) continue;
    const std::optional<StridedCopy> copy = plan_copy(from, to);
    if (!copy) return refuse(request, "an operand has more than 8 axes that cannot be merged");
    copies.push_back(*copy);
  }
  const bool turned = std::ranges::any_of(copies, [](const StridedCopy& copy) { return copy.turn.across > 0; });
  return launched(context, request, turned ? "own copy (CUDA), tiles" : "own copy (CUDA)",
                  [fill, copies](const Launcher& launcher) {
                    cudaError_t code = fill ? launch(launcher, *fill) : cudaSuccess;
                    for (size_t i = 0; i < copies.size() && code == cudaSuccess; ++i)
                      code = launch(launcher, copies[i]);
                    return code;
                  });
}

PreparedKernel prepare_copy(Context& context, const PrepareRequest& request) {
  return prepare_copies(context, request, {}, {{request.arguments.inputs[0], request.arguments.outputs[0]}});
}

PreparedKernel prepare_slice_grad(Context& context, const PrepareRequest& request) {
  const Tensor& dx = request.arguments.outputs[0];
  const Attributes& attributes = request.node.attributes;
  const Result<Tensor> part = dx.slice(attributes.get_int("axis", 0), attributes.get_int("start", 0),
                                       attributes.get_int("end", 0), attributes.get_int("step", 1));
  if (!part) return part.error();
  const std::optional<StridedFill> zeros = plan_fill(dx, 0);
  if (!zeros) return refuse(request, "the result has more than 8 axes that cannot be merged");
  return prepare_copies(context, request, zeros, {{request.arguments.inputs[0], *part}});
}

PreparedKernel prepare_write_slice(Context& context, const PrepareRequest& request) {
  const Tensor& update = request.arguments.inputs[1];
  const Attributes& attributes = request.node.attributes;
  int64_t axis = attributes.get_int("axis", 0);
  if (axis < 0) axis += update.type().rank();
  const int64_t start = attributes.get_int("start", 0);
  const Result<Tensor> part =
      request.arguments.outputs[0].slice(axis, start, start + update.shape()[static_cast<size_t>(axis)]);
  if (!part) return part.error();
  return prepare_copies(context, request, {}, {{update, *part}});
}

PreparedKernel prepare_concat(Context& context, const PrepareRequest& request) {
  const int64_t axis = request.node.attributes.get_int("axis", 0);
  std::vector<std::pair<Tensor, Tensor>> pairs;
  int64_t start = 0;
  for (const Tensor& x : request.arguments.inputs) {
    const int64_t extent = x.shape()[static_cast<size_t>(axis < 0 ? axis + x.type().rank() : axis)];
    const Result<Tensor> part = request.arguments.outputs[0].slice(axis, start, start + extent);
    if (!part) return part.error();
    pairs.emplace_back(x, *part);
    start += extent;
  }
  return prepare_copies(context, request, {}, std::move(pairs));
}

bool takes_constant_pad(const Node& node, const Call&) {
  return node.attributes.get_string("mode", "constant") == "constant";
}

/// The constant everywhere, then the part of x that lies within y.
PreparedKernel prepare_pad(Context& context, const PrepareRequest& request) {
  Tensor from = request.arguments.inputs[0], to = request.arguments.outputs[0];
  const Attributes& attributes = request.node.attributes;
  const std::optional<StridedFill> constant = plan_fill(to, attributes.get_double("value", 0));
  if (!constant) return refuse(request, "the result has more than 8 axes that cannot be merged");
  const std::vector<int64_t> before = attributes.get_ints("before", {});
  for (size_t i = 0; i < before.size(); ++i) {
    const int64_t begin = std::max<int64_t>(0, before[i]), end = std::min(to.shape()[i], before[i] + from.shape()[i]);
    if (end <= begin) return prepare_copies(context, request, constant, {});
    const auto axis = static_cast<int64_t>(i);
    const Result<Tensor> source = from.slice(axis, begin - before[i], end - before[i]),
                         target = to.slice(axis, begin, end);
    if (!source) return source.error();
    if (!target) return target.error();
    from = *source;
    to = *target;
  }
  return prepare_copies(context, request, constant, {{from, to}});
}

/// y seen with two axes for each of x: which repetition, and the place in it.
PreparedKernel prepare_tile(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  TensorType from{x.dtype(), {}, {}}, to = from;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    const int64_t extent = x.shape()[i];
    for (TensorType* type : {&from, &to}) {
      type->shape.push_back(y.shape()[i] / extent);
      type->shape.push_back(extent);
    }
    from.strides.insert(from.strides.end(), {0, x.strides()[i]});
    to.strides.insert(to.strides.end(), {extent * y.strides()[i], y.strides()[i]});
  }
  return prepare_copies(
      context, request, {},
      {{Tensor(x.storage(), from, x.offset_elements()), Tensor(y.storage(), to, y.offset_elements())}});
}

}  // namespace

std::span<const Kernel> copy_kernels() {
  static constexpr Kernel kKernels[] = {
      {"contiguous", takes_any, prepare_copy},
      {"relayout", takes_any, prepare_copy},
      {"copy", takes_any, prepare_copy},
      {"slice_grad", takes_any, prepare_slice_grad},
      {"write_slice", takes_any, prepare_write_slice},
      {"concat", takes_any, prepare_concat},
      {"pad", takes_constant_pad, prepare_pad},
      {"tile", takes_any, prepare_tile},
  };
  return kKernels;
}

}  // namespace engine::cuda
