// SPDX-License-Identifier: Apache-2.0
// Strided copies, and the ops made of nothing else: contiguous, relayout, slice_grad, write_slice.
#include "engine/kernels/core/copy.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/row_blocks.h"

namespace engine::cpu {
namespace {

/// Copies `from` to `to` (equal shapes and dtypes) with loops prepared ahead.
class CopyLoops {
 public:
  CopyLoops(const Tensor& from, const Tensor& to, int threads)
      : threads_(threads), element_bytes_(size_bytes(to.dtype())) {
    const TensorType types[] = {to.type(), from.type()};
    loops_ = make_tiled_loops(to.shape(), types, 0);
    base_[0] = to.data();
    base_[1] = from.data();
  }
  void run() const { copy_loops(loops_, base_, threads_, element_bytes_); }

 private:
  LoopNest loops_;
  Addresses base_{};
  int threads_;
  int64_t element_bytes_;
};

class CopyOp final : public PreparedOp {
 public:
  explicit CopyOp(CopyLoops loops) : loops_(std::move(loops)) {}
  void run() override { loops_.run(); }
  KernelFacts facts() const override { return {.name = "own strided copy"}; }

 private:
  CopyLoops loops_;
};

/// Zeros everywhere, then dy where the slice was.
class SliceGradOp final : public PreparedOp {
 public:
  SliceGradOp(Tensor whole, CopyLoops part) : whole_(std::move(whole)), part_(std::move(part)) {}
  void run() override {
    std::memset(whole_.data(), 0, static_cast<size_t>(whole_.type().span_bytes()));
    part_.run();
  }
  KernelFacts facts() const override { return {.name = "own zero fill and strided copy"}; }

 private:
  Tensor whole_;
  CopyLoops part_;
};

/// Every second element, and elements in reverse, to elements side by side: by vectors of 16 bytes, which every machine
/// has. The last of every second element is read alone: behind it lies what may not be read.
template <class T>
void copy_near_row(const std::byte* from, int64_t from_stride, std::byte* to, int64_t count) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T)), kLanes = 16 / kBytes;
  using Lanes [[gnu::vector_size(16)]] = T;
  const auto load = [](const std::byte* at) {
    Lanes lanes;
    std::memcpy(&lanes, at, sizeof(lanes));
    return lanes;
  };
  int64_t i = 0;
  const auto put = [&](Lanes lanes) { std::memcpy(to + i * kBytes, &lanes, sizeof(lanes)); };
  if (from_stride == 2 * kBytes) {
    for (; i + kLanes < count; i += kLanes) {
      const Lanes low = load(from + i * from_stride), high = load(from + i * from_stride + 16);
      if constexpr (kLanes == 4) put(__builtin_shufflevector(low, high, 0, 2, 4, 6));
      else put(__builtin_shufflevector(low, high, 0, 2));
    }
  } else if (from_stride == -kBytes) {
    for (; i + kLanes <= count; i += kLanes) {
      const Lanes lanes = load(from - (i + kLanes - 1) * kBytes);
      if constexpr (kLanes == 4) put(__builtin_shufflevector(lanes, lanes, 3, 2, 1, 0));
      else put(__builtin_shufflevector(lanes, lanes, 1, 0));
    }
  }
  copy_row_over<ScalarMemory>(from + i * from_stride, from_stride, to + i * kBytes, kBytes, count - i, kBytes);
}

}  // namespace

void copy_row(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t count,
              int64_t element_bytes) {
  if (count >= 8 && to_stride == element_bytes) {
    if (element_bytes == 4) return copy_near_row<uint32_t>(from, from_stride, to, count);
    if (element_bytes == 8) return copy_near_row<uint64_t>(from, from_stride, to, count);
  }
  copy_row_over<ScalarMemory>(from, from_stride, to, to_stride, count, element_bytes);
}

Result<void> copy_tensor(const Tensor& from, const Tensor& to, int threads) {
  if (from.shape() != to.shape() || from.dtype() != to.dtype()) {
    return usage_error(fmt::format("[copy] from {} to {}: shapes and dtypes must be equal", to_string(from.type()),
                                   to_string(to.type())));
  }
  if (to.type().elements() > 0) CopyLoops(from, to, threads).run();
  return {};
}

std::unique_ptr<PreparedOp> prepare_copy(Context& context, const Tensor& from, const Tensor& to) {
  if (auto reorder = prepare_transposition(context, from, to)) return reorder;
  return std::make_unique<CopyOp>(CopyLoops(from, to, context.threads));
}

namespace {

std::unique_ptr<PreparedOp> prepare_relayout(Context& context, const PrepareRequest& request) {
  return prepare_copy(context, request.arguments.inputs[0], request.arguments.outputs[0]);
}

std::unique_ptr<PreparedOp> prepare_slice_grad(Context& context, const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &dx = request.arguments.outputs[0];
  const Attributes& a = request.node.attributes;
  const auto part = dx.slice(a.get_int("axis", 0), a.get_int("start", 0), a.get_int("end", 0), a.get_int("step", 1));
  if (!part || part->shape() != dy.shape() || !is_dense(dx.shape(), dx.strides())) return nullptr;
  return std::make_unique<SliceGradOp>(dx, CopyLoops(dy, *part, context.threads));
}

/// In place: only the part that is written moves.
std::unique_ptr<PreparedOp> prepare_write_slice(Context& context, const PrepareRequest& request) {
  const Tensor &update = request.arguments.inputs[1], &x = request.arguments.outputs[0];
  const int64_t axis = request.node.attributes.get_int("axis", 0), start = request.node.attributes.get_int("start", 0);
  const int64_t along = axis < 0 ? axis + x.type().rank() : axis;
  const auto part = x.slice(along, start, start + update.shape()[static_cast<size_t>(along)]);
  if (!part || update.type().elements() == 0) return nullptr;
  return std::make_unique<CopyOp>(CopyLoops(update, *part, context.threads));
}

}  // namespace

std::span<const Kernel> copy_kernels() {
  static constexpr Kernel kKernels[] = {
      {"contiguous", prepare_relayout},
      {"relayout", prepare_relayout},
      {"slice_grad", prepare_slice_grad},
      {"write_slice", prepare_write_slice},
  };
  return kKernels;
}

}  // namespace engine::cpu
