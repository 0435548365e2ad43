// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements of any dtype: concat, pad, tile, nearest resize, gather, one_hot, triangle.
#include "engine/kernels/indexing/indexing.h"

#include <algorithm>
#include <string>

#include "engine/graph/element_maps.h"
#include "engine/graph/resize_axes.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/row_blocks.h"
#include "engine/kernels/indexing/indexing-inl.h"
#include "engine/kernels/indexing/indexing_kernels.h"
#include "engine/kernels/indexing/mapped_copy-inl.h"
#include "engine/kernels/indexing/triangle_loops.h"

namespace engine::cpu {
namespace {

// ---- concat
// -----------------------------------------------------------------------------------------------------------------

/// Each operand copied to its part of y.
class ConcatOp final : public PreparedOp {
 public:
  ConcatOp(const PrepareRequest& request, int threads) : threads_(threads) {
    const Tensor& y = request.arguments.outputs[0];
    const int64_t axis = request.node.attributes.get_int("axis", 0);
    size_ = size_bytes(y.dtype());
    int64_t start = 0;
    for (const Tensor& x : request.arguments.inputs) {
      if (x.type().elements() == 0) continue;
      const int64_t extent = split_at(x.shape(), axis).extent;
      const Result<Tensor> part = y.slice(axis, start, start + extent);
      CHECK(part.ok());
      const TensorType types[] = {part->type(), x.type()};
      parts_.push_back({make_tiled_loops(x.shape(), types, 0), {part->data(), x.data()}});
      start += extent;
    }
  }
  void run() override {
    for (const Part& part : parts_) copy_loops(part.loops, part.base, threads_, size_);
  }
  KernelFacts facts() const override { return {.name = "own strided copies"}; }

 private:
  struct Part {
    LoopNest loops;
    Addresses base;
  };
  std::vector<Part> parts_;
  int64_t size_;
  int threads_;
};

std::unique_ptr<PreparedOp> prepare_concat(Context& context, const PrepareRequest& request) {
  return std::make_unique<ConcatOp>(request, context.threads);
}

// ---- pad, tile, nearest resize: each axis has its own table of sources
// ----------------------------------------------------------

class MappedCopyOp final : public PreparedOp {
 public:
  MappedCopyOp(const Tensor& x, const Tensor& y, const std::vector<std::vector<int64_t>>& sources, double missing,
               int threads)
      : copy_(x.strides(), y.strides(), sources, size_bytes(y.dtype())),
        parts_(x.data(), y.data(), y.dtype(), missing),
        threads_(threads) {}

  void run() override {
    parallel_parts(threads_, copy_.rows(), 1, copy_.elements(), [this](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) copy_.row(row, parts_);
    });
  }
  KernelFacts facts() const override { return {.name = "own copies by tables"}; }

 private:
  const loops::MappedCopy copy_;
  const MappedCopyParts<> parts_;
  int threads_;
};

std::unique_ptr<PreparedOp> prepare_pad(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const auto sources = pad_tables(x.shape(), y.shape(), request.node.attributes);
  if (!sources) return nullptr;
  return std::make_unique<MappedCopyOp>(x, y, *sources, request.node.attributes.get_double("value", 0),
                                        context.threads);
}

std::unique_ptr<PreparedOp> prepare_tile(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  return std::make_unique<MappedCopyOp>(x, y, tile_tables(x.shape(), y.shape()), 0, context.threads);
}

std::unique_ptr<PreparedOp> prepare_nearest_resize(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const auto sources = nearest_tables(x.shape(), request.node.attributes);
  if (!sources) return nullptr;
  return std::make_unique<MappedCopyOp>(x, y, *sources, request.node.attributes.get_double("extrapolation_value", 0),
                                        context.threads);
}

// ---- gather
// -----------------------------------------------------------------------------------------------------------------

class GatherOp final : public PreparedOp {
 public:
  GatherOp(const PrepareRequest& request, size_t axis, int threads)
      : arguments_(request.arguments),
        threads_(threads),
        parts_(arguments_.inputs[1], arguments_.inputs[0].shape()[axis], arguments_.inputs[0].dtype(),
               arguments_.inputs[0].data(), arguments_.outputs[0].data()) {
    const TensorType& x = arguments_.inputs[0].type();
    const int64_t bytes = size_bytes(x.dtype);
    shape_ = {element_offsets(some_axes(x, 0, axis)), x.strides[axis] * bytes,
              some_axes(x, axis + 1, x.shape.size()).elements() * bytes, parts_.indices.count()};
    for (int64_t& offset : shape_.outer) offset *= bytes;
  }
  void run() override {
    parallel_parts(threads_, shape_.blocks(), 1, shape_.blocks() * shape_.block / parts_.bytes,
                   [this](int64_t begin, int64_t end) {
                     const GatherParts<> parts = parts_;  // so that what is written is not taken for them
                     for (int64_t block = begin; block < end; ++block) loops::gather_block(shape_, block, parts);
                   });
  }
  KernelFacts facts() const override { return {.name = "own row copies"}; }

 private:
  KernelArguments arguments_;  ///< that they stay
  int threads_;
  const GatherParts<> parts_;
  loops::GatherShape shape_;
};

std::unique_ptr<PreparedOp> prepare_gather(Context& context, const PrepareRequest& request) {
  const TensorType& x = request.arguments.inputs[0].type();
  int64_t axis = request.node.attributes.get_int("axis", 0);
  if (axis < 0) axis += x.rank();
  const auto along = static_cast<size_t>(axis);
  if (!row_major(request.arguments.inputs[1].type()) || !row_major(request.arguments.outputs[0].type()) ||
      !row_major(some_axes(x, along + 1, x.shape.size()))) {
    return nullptr;
  }
  return std::make_unique<GatherOp>(request, along, context.threads);
}

// ---- one_hot
// ----------------------------------------------------------------------------------------------------------------

class OneHotOp final : public PreparedOp {
 public:
  OneHotOp(const PrepareRequest& request, int threads)
      : arguments_(request.arguments),
        threads_(threads),
        split_(split_at(arguments_.outputs[0].shape(), request.node.attributes.get_int("axis", -1))),
        shape_{split_.outer, split_.extent, split_.inner},
        parts_(arguments_.inputs[0], split_.extent, arguments_.outputs[0].dtype(),
               request.node.attributes.get_double("on", 1), request.node.attributes.get_double("off", 0),
               arguments_.outputs[0].data()) {}
  void run() override {
    parallel_parts(threads_, shape_.outer, 1, shape_.outer * shape_.extent * shape_.inner,
                   [this](int64_t begin, int64_t end) {
                     const OneHotParts<> parts = parts_;  // so that what is written is not taken for them
                     for (int64_t block = begin; block < end; ++block) loops::one_hot_block(shape_, block, parts);
                   });
  }
  KernelFacts facts() const override { return {.name = "own fill"}; }

 private:
  KernelArguments arguments_;  ///< that they stay
  int threads_;
  AxisSplit split_;
  loops::OneHotShape shape_;
  const OneHotParts<> parts_;
};

std::unique_ptr<PreparedOp> prepare_one_hot(Context& context, const PrepareRequest& request) {
  if (!row_major(request.arguments.inputs[0].type()) || !row_major(request.arguments.outputs[0].type())) return nullptr;
  return std::make_unique<OneHotOp>(request, context.threads);
}

// ---- triangle
// ---------------------------------------------------------------------------------------------------------------

/// Per row the kept stretch is copied, the rest zeroed.
class TriangleOp final : public PreparedOp {
 public:
  TriangleOp(const PrepareRequest& request, int threads) : arguments_(request.arguments), threads_(threads) {
    const TensorType &x = arguments_.inputs[0].type(), &y = arguments_.outputs[0].type();
    const size_t last = x.shape.size() - 1;
    const int64_t rows = x.shape[last - 1], columns = x.shape[last];
    triangle_ = {rows, columns, std::clamp(request.node.attributes.get_int("k", 0), -rows, columns),
                 request.node.attributes.get_int("upper", 1) != 0};
    parts_ = {{},
              arguments_.inputs[0].data(),
              arguments_.outputs[0].data(),
              size_bytes(x.dtype),
              element_offsets(some_axes(x, 0, last)),
              element_offsets(some_axes(y, 0, last))};
  }
  void run() override {
    parallel_for(threads_, static_cast<int64_t>(parts_.x_rows.size()), arguments_.inputs[0].type().elements(),
                 [this](int64_t row) { loops::triangle_row(triangle_, row, parts_); });
  }
  KernelFacts facts() const override { return {.name = "own row copies"}; }

 private:
  KernelArguments arguments_;  ///< that they stay
  int threads_;
  loops::Triangle triangle_;
  TriangleParts<> parts_;
};

std::unique_ptr<PreparedOp> prepare_triangle(Context& context, const PrepareRequest& request) {
  for (const Tensor* tensor : {&request.arguments.inputs[0], &request.arguments.outputs[0]}) {
    if (tensor->shape().back() != 1 && tensor->strides().back() != 1) return nullptr;
  }
  return std::make_unique<TriangleOp>(request, context.threads);
}

/// A kernel that takes tensors without elements, too: boxes of which none was found.
constexpr Kernel also_empty(std::string_view op, decltype(Kernel::prepare) prepare) {
  Kernel kernel{op, prepare};
  kernel.takes_empty = true;
  return kernel;
}

constexpr Kernel kKernels[] = {
    also_empty("concat", prepare_concat),
    {"pad", prepare_pad},
    {"tile", prepare_tile},
    {"resize", prepare_nearest_resize},
    {"gather", prepare_gather},
    {"one_hot", prepare_one_hot},
    {"triangle", prepare_triangle},
    {"gather_grad", prepare_gather_grad},
    {"embedding_bag", prepare_embedding_bag},
    {"gather_elements", prepare_gather_elements},
    {"gather_nd", prepare_gather_nd},
    also_empty("scatter_elements", prepare_scatter_elements),
    also_empty("scatter_nd", prepare_scatter_nd),
    {"reverse_sequence", prepare_reverse_sequence},
    {"top_k", prepare_top_k},
    {"resize", prepare_resize},
    also_empty("non_zero", prepare_non_zero),
    also_empty("compress", prepare_compress),
    also_empty("unique", prepare_unique),
    also_empty("non_max_suppression", prepare_non_max_suppression),
    also_empty("known_values", prepare_known_values),
    {"roi_align", prepare_roi_align},
};

}  // namespace

std::span<const Kernel> indexing_kernels() { return kKernels; }

}  // namespace engine::cpu
