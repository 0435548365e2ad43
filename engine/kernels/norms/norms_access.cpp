// SPDX-License-Identifier: Apache-2.0
// Layer norms and their gradients: what the parts of norms_loops.h access.
#include "engine/kernels/norms/norms_loops.h"

#include <algorithm>

#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

/// The parts of a norm, of one line.
struct NormRow {
  Passes& passes;
  Line x, scale;
  const Line* bias;
  Line y;
  const Line* mean;
  Line inverse;
  void sum() { passes.vectors({{x}}); }
  void squares() { passes.vectors({{x}}); }
  void normalize() {
    if (bias != nullptr) passes.vectors({{x}, {scale}, {*bias}, {y, kStore}});
    else passes.vectors({{x}, {scale}, {y, kStore}});
  }
  void keep() {
    if (mean != nullptr) passes.one(*mean, kStore);
    passes.one(inverse, kStore);
  }
};

/// The parts of a norm's gradient. In the workspace: sums of dscale and dbias in the line's type, then in doubles.
class NormGradient {
 public:
  /// (dy, x, [mean], inverse, scale) -> dx, dscale, [dbias].
  NormGradient(const OpCall& call, Passes& passes) : call_(call), passes_(passes), rms_(call.inputs.size() == 4) {
    const int64_t bytes = size_bytes(call.inputs[0].type.dtype);
    near_ = {call.workspace_address, bytes, call.workspace_tensor, bytes};
    far_ = {near_.address + static_cast<uint64_t>(lines(2 * passes.length() * bytes) * kCacheLine), sizeof(double),
            call.workspace_tensor, sizeof(double)};
  }

  /// Whether there is room for the sums.
  static bool fits(const OpCall& call, int64_t length) {
    const auto bytes = size_bytes(call.inputs[0].type.dtype), most = static_cast<int64_t>(call.workspace_bytes);
    constexpr int64_t kFar = sizeof(double);
    return length <= most / (2 * (bytes + kFar)) &&
           (lines(2 * length * bytes) + lines(2 * length * kFar)) * kCacheLine <= most;
  }
  bool stopped() const { return passes_.stopped(); }
  void clear() {
    passes_.one_by_one(2 * passes_.length(), {{near_, kStore}});
    passes_.one_by_one(2 * passes_.length(), {{far_, kStore}});
  }
  void gradient_sums(int64_t line) {
    statistics(line);
    const Line dscale = near_, dbias = second(near_);
    if (rms_) passes_.vectors({{dy(line)}, {x(line)}, {scale()}, {dscale}, {dscale, kStore}});
    else passes_.vectors({{dy(line)}, {x(line)}, {scale()}, {dscale}, {dscale, kStore}, {dbias}, {dbias, kStore}});
  }
  void gradient(int64_t line) {
    statistics(line);
    passes_.vectors(
        {{x(line)}, {dy(line)}, {scale()}, {neighbours(call_.outputs[0], line * passes_.length()), kStore}});
  }
  void flush() { passes_.one_by_one(2 * passes_.length(), {{far_}, {near_}, {far_, kStore}, {near_, kStore}}); }
  void finish() {
    const Line dscale = neighbours(call_.outputs[1], 0);
    if (rms_) passes_.one_by_one(passes_.length(), {{far_}, {second(far_)}, {dscale, kStore}});
    else
      passes_.one_by_one(passes_.length(),
                         {{far_}, {second(far_)}, {dscale, kStore}, {neighbours(call_.outputs[2], 0), kStore}});
  }

 private:
  static constexpr int64_t kCacheLine = 64;
  static int64_t lines(int64_t bytes) { return (bytes + kCacheLine - 1) / kCacheLine; }
  Line second(Line half) const {
    half.address += static_cast<uint64_t>(passes_.length() * half.bytes);
    return half;
  }
  Line dy(int64_t line) const { return neighbours(call_.inputs[0], line * passes_.length()); }
  Line x(int64_t line) const { return neighbours(call_.inputs[1], line * passes_.length()); }
  Line scale() const { return neighbours(call_.inputs.back(), 0); }
  void statistics(int64_t line) {
    for (size_t i = 2; i + 1 < call_.inputs.size(); ++i) passes_.one(neighbours(call_.inputs[i], line));
  }

  const OpCall& call_;
  Passes& passes_;
  bool rms_;
  Line near_, far_;
};

bool all_contiguous(const OpCall& call) {
  const auto contiguous = [](const Operand& o) { return is_contiguous(o.type.shape, o.type.strides); };
  return std::ranges::all_of(call.inputs, contiguous) && std::ranges::all_of(call.outputs, contiguous);
}

}  // namespace

/// (x, scale, [bias]) -> y, [mean], inverse. Own kernels, and the reference, take row-major operands.
bool describe_norm(const OpCall& call, AccessSink& sink) {
  const bool has_mean = call.node.op->name == "layer_norm";
  if (!all_contiguous(call) || call.inputs[0].type.elements() == 0 || call.outputs.size() < (has_mean ? 3u : 2u))
    return false;
  const int64_t length = call.inputs[1].type.elements(), count = call.outputs[1].type.elements();
  Passes passes(length, call.vector_bytes, sink);
  const Line scale = neighbours(call.inputs[1], 0),
             bias = call.inputs.size() > 2 ? neighbours(call.inputs[2], 0) : Line{};
  for (int64_t number = 0; number < count && !sink.stopped(); ++number) {
    const Line mean = neighbours(call.outputs[1], number);
    NormRow parts{passes,
                  neighbours(call.inputs[0], number * length),
                  scale,
                  call.inputs.size() > 2 ? &bias : nullptr,
                  neighbours(call.outputs[0], number * length),
                  has_mean ? &mean : nullptr,
                  neighbours(call.outputs[has_mean ? 2 : 1], number)};
    loops::norm_row(has_mean, parts);
  }
  return true;
}

bool describe_norm_grad(const OpCall& call, AccessSink& sink) {
  if (!all_contiguous(call) || call.inputs.size() < 4 || call.outputs.size() + 2 < call.inputs.size() ||
      call.inputs[0].type.elements() == 0)
    return false;
  const int64_t length = call.inputs.back().type.elements();
  if (!NormGradient::fits(call, length)) return false;
  Passes passes(length, call.vector_bytes, sink);
  NormGradient parts(call, passes);
  parts.clear();
  loops::norm_gradient_rows({0, call.inputs[2].type.elements()}, parts);
  parts.finish();
  return true;
}

}  // namespace engine::access
