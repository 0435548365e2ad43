// SPDX-License-Identifier: Apache-2.0
// Copies: ops that move elements, and the backend's own.
#include "engine/opencl/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/tensor/element.h"
#include "engine/tensor/staged_copy.h"

namespace engine::opencl {
namespace {

ProgramKey copy_program(DType dtype) {
  switch (size_bytes(dtype)) {
    case 1: return {.file = "copy.cl", .options = "-D ELEMENT=uchar"};
    case 2: return {.file = "copy.cl", .options = "-D ELEMENT=ushort"};
    case 4: return {.file = "copy.cl", .options = "-D ELEMENT=uint"};
    default: return {.file = "copy.cl", .options = "-D ELEMENT=ulong"};
  }
}

Result<Launch> fill_launch(Context& context, const Tensor& to, double value) {
  const std::optional<Walk> walk = make_walk(to.shape(), {to.strides()});
  if (!walk) return refused_error(std::string(kTooManyAxes));
  std::byte bytes[sizeof(int64_t)] = {};
  store_element(to.dtype(), bytes, value);
  int64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return LaunchBuilder(context, copy_program(to.dtype()), "fill_strided")
      .tensor(to)
      .whole(bits)
      .walk(*walk)
      .over(walk->count);
}

using Pairs = std::vector<std::pair<Tensor, Tensor>>;  ///< from, to

PreparedKernel prepare_copies(Context& context, const PrepareRequest& request, std::vector<Result<Launch>> launches,
                              const Pairs& pairs) {
  for (const auto& [from, to] : pairs) {
    if (to.type().elements() > 0) launches.push_back(copy_launch(context, from, to));
  }
  return launched(context, request, {.name = "own copy (OpenCL)"}, std::move(launches));
}

PreparedKernel prepare_copy(Context& context, const PrepareRequest& request) {
  return prepare_copies(context, request, {}, {{request.arguments.inputs[0], request.arguments.outputs[0]}});
}

std::vector<Result<Launch>> filled(Context& context, const Tensor& to, double value) {
  std::vector<Result<Launch>> launches;
  launches.push_back(fill_launch(context, to, value));
  return launches;
}

PreparedKernel prepare_slice_grad(Context& context, const PrepareRequest& request) {
  const Tensor& dx = request.arguments.outputs[0];
  const Attributes& attributes = request.node.attributes;
  const Result<Tensor> part = dx.slice(attributes.get_int("axis", 0), attributes.get_int("start", 0),
                                       attributes.get_int("end", 0), attributes.get_int("step", 1));
  if (!part) return part.error();
  return prepare_copies(context, request, filled(context, dx, 0), {{request.arguments.inputs[0], *part}});
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
  Pairs pairs;
  int64_t start = 0;
  for (const Tensor& x : request.arguments.inputs) {
    const int64_t extent = x.shape()[static_cast<size_t>(axis < 0 ? axis + x.type().rank() : axis)];
    const Result<Tensor> part = request.arguments.outputs[0].slice(axis, start, start + extent);
    if (!part) return part.error();
    pairs.emplace_back(x, *part);
    start += extent;
  }
  return prepare_copies(context, request, {}, pairs);
}

bool takes_constant_pad(const Node& node, const Call&) {
  return node.attributes.get_string("mode", "constant") == "constant";
}

/// The constant everywhere, then the part of x that lies within y.
PreparedKernel prepare_pad(Context& context, const PrepareRequest& request) {
  Tensor from = request.arguments.inputs[0], to = request.arguments.outputs[0];
  const Attributes& attributes = request.node.attributes;
  std::vector<Result<Launch>> constant = filled(context, to, attributes.get_double("value", 0));
  const std::vector<int64_t> before = attributes.get_ints("before", {});
  for (size_t i = 0; i < before.size(); ++i) {
    const int64_t begin = std::max<int64_t>(0, before[i]), end = std::min(to.shape()[i], before[i] + from.shape()[i]);
    if (end <= begin) return prepare_copies(context, request, std::move(constant), {});
    const auto axis = static_cast<int64_t>(i);
    const Result<Tensor> source = from.slice(axis, begin - before[i], end - before[i]),
                         target = to.slice(axis, begin, end);
    if (!source) return source.error();
    if (!target) return target.error();
    from = *source;
    to = *target;
  }
  return prepare_copies(context, request, std::move(constant), {{from, to}});
}

Result<void> as_result(cl_int code) {
  if (code == CL_SUCCESS) return {};
  return refused_error(fmt::format("[copy] {}", error_words(code)));
}

/// The bytes as they are: both tensors are dense in one layout.
Result<void> copy_bytes(Context& context, const Tensor& from, const Tensor& to) {
  const int64_t bytes = from.type().elements() * size_bytes(from.dtype());
  if (on_host(from))
    return as_result(context.queue->write(context.memory->find(lowest_address(to)), lowest_address(from), bytes));
  if (on_host(to))
    return as_result(context.queue->read(lowest_address(to), context.memory->find(lowest_address(from)), bytes));
  return as_result(
      context.queue->copy(context.memory->find(lowest_address(to)), context.memory->find(lowest_address(from)), bytes));
}

Result<void> copy_here(Context& context, const Tensor& from, const Tensor& to) {
  const Result<Launch> launch = copy_launch(context, from, to);
  if (!launch) return launch.error();
  return as_result(context.queue->run(*launch));
}

}  // namespace

Result<Launch> copy_launch(Context& context, const Tensor& from, const Tensor& to) {
  const std::optional<Walk> walk =
      make_walk(to.shape(), {to.strides(), broadcast_strides(from.shape(), from.strides(), to.shape())});
  if (!walk) return refused_error(std::string(kTooManyAxes));
  return LaunchBuilder(context, copy_program(to.dtype()), "copy_strided")
      .tensor(to)
      .tensor(from)
      .walk(*walk)
      .over(walk->count);
}

Result<void> copy_tensor(Context& context, const Tensor& from, const Tensor& to) {
  if (from.shape() != to.shape() || from.dtype() != to.dtype()) {
    return usage_error(fmt::format("[copy] {} does not fit {}", to_string(from.type()), to_string(to.type())));
  }
  if (from.type().elements() == 0) return {};
  for (const Tensor& side : {from, to}) {
    const Device& device = side.storage()->device();
    if (on_host(side) || device == context.device.info.device) continue;
    return refused_error(fmt::format("[copy] {} cannot access {}: copy to the host first",
                                     to_string(context.device.info.device), to_string(device)));
  }
  if (on_host(from) && on_host(to)) {
    copy_elements(from, to);
    return {};
  }
  if (from.strides() == to.strides() && is_dense(from.shape(), from.strides())) return copy_bytes(context, from, to);
  if (!on_host(from) && !on_host(to)) return copy_here(context, from, to);
  return copy_through_row_major(
      {.allocate = [&](int64_t bytes) { return context.memory->allocate(bytes); },
       .rearrange = [&](const Tensor& a, const Tensor& b) { return copy_here(context, a, b); },
       .move = [&](const Tensor& a, const Tensor& b) { return copy_bytes(context, a, b); }},
      from, to);
}

std::span<const Kernel> copy_kernels() {
  static constexpr Kernel kKernels[] = {
      {"contiguous", takes_any, prepare_copy},         {"relayout", takes_any, prepare_copy},
      {"write_slice", takes_any, prepare_write_slice}, {"slice_grad", takes_any, prepare_slice_grad},
      {"concat", takes_any, prepare_concat},           {"pad", takes_constant_pad, prepare_pad},
  };
  return kKernels;
}

}  // namespace engine::opencl
