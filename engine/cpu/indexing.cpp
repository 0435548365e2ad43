// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements of any dtype: concat, pad, tile, nearest resize, gather, one_hot, triangle.
#include "engine/cpu/indexing.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "engine/cpu/copy.h"
#include "engine/cpu/indexing_kernels.h"
#include "engine/cpu/loops.h"
#include "engine/graph/element_maps.h"
#include "engine/graph/resize_axes.h"

namespace engine::cpu {
namespace {

// ---- concat -----------------------------------------------------------------------------------------------------------------

/// Each operand copied to its part of y.
class ConcatOp final : public PreparedOp {
 public:
  ConcatOp(const PrepareRequest& request, int threads) : threads_(threads) {
    const Tensor& y = request.arguments.outputs[0];
    const int64_t axis = request.node.attributes.get_int("axis", 0);
    size_ = size_bytes(y.dtype());
    int64_t start = 0;
    for (const Tensor& x : request.arguments.inputs) {
      const int64_t extent = split_at(x.shape(), axis).extent;
      const Result<Tensor> part = y.slice(axis, start, start + extent);
      CHECK(part.ok());
      const TensorType types[] = {part->type(), x.type()};
      parts_.push_back({make_loops(x.shape(), types, 0), {part->data(), x.data()}});
      start += extent;
    }
  }
  void run() override {
    for (const Part& part : parts_) {
      run_loops(part.loops, part.base, threads_, [&](const Addresses& at, int64_t count) {
        copy_row(at[1], part.loops.inner_stride[1], at[0], part.loops.inner_stride[0], count, size_);
      });
    }
  }
  std::string kernel_name() const override { return "own strided copies"; }

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

// ---- pad, tile, nearest resize: each axis has its own table of sources ----------------------------------------------------------

constexpr int64_t kMissing = std::numeric_limits<int64_t>::min();

/// Elements of y side by side that are copied from x, from beside one another too, or are all missing. Offsets in bytes.
struct Run {
  int64_t to = 0, from = 0, count = 0;
};

class MappedCopyOp final : public PreparedOp {
 public:
  /// sources[a][i]: which element of axis a of x stands at i in y; -1: none, `missing` does.
  MappedCopyOp(const Tensor& x, const Tensor& y, const std::vector<std::vector<int64_t>>& sources, double missing, int threads)
      : x_(x.data()), y_(y.data()), size_(size_bytes(y.dtype())), pattern_(y.dtype(), missing), threads_(threads) {
    for (size_t a = 0; a < sources.size(); ++a) {
      Axis axis{y.strides()[a] * size_, {}};
      for (const int64_t source : sources[a]) axis.from.push_back(source < 0 ? kMissing : source * x.strides()[a] * size_);
      if (axis.from.size() > 1 || axis.from[0] != 0) axes_.push_back(std::move(axis));
    }
    std::ranges::stable_sort(axes_, std::ranges::greater{}, &Axis::stride);
    runs_ = {{0, 0, 1}};
    int64_t row_elements = 1;
    while (!axes_.empty() && axes_.back().stride == row_elements * size_ && row_elements * size_ < kRowBytes) {
      const Axis axis = std::move(axes_.back());
      axes_.pop_back();
      row_elements *= static_cast<int64_t>(axis.from.size());
      runs_ = merged(axis);
    }
    for (const Axis& axis : axes_) rows_ *= static_cast<int64_t>(axis.from.size());
    work_ = rows_ * row_elements;
  }

  void run() override {
    parallel_parts(threads_, rows_, 1, work_, [this](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) copy(row);
    });
  }
  std::string kernel_name() const override { return "own copies by tables"; }

 private:
  static constexpr int64_t kRowBytes = 16 * 1024;
  struct Axis {
    int64_t stride = 0;         ///< bytes in y
    std::vector<int64_t> from;  ///< bytes in x, or kMissing
  };

  /// runs_ once for each element of `axis`, those that continue one another joined.
  std::vector<Run> merged(const Axis& axis) const {
    std::vector<Run> result;
    for (size_t i = 0; i < axis.from.size(); ++i) {
      for (Run run : runs_) {
        run.to += static_cast<int64_t>(i) * axis.stride;
        run.from = run.from == kMissing || axis.from[i] == kMissing ? kMissing : run.from + axis.from[i];
        if (!result.empty()) {
          Run& last = result.back();
          const bool continues = last.from == kMissing ? run.from == kMissing
                                                       : run.from != kMissing && run.from == last.from + last.count * size_;
          if (continues && run.to == last.to + last.count * size_) {
            last.count += run.count;
            continue;
          }
        }
        result.push_back(run);
      }
    }
    return result;
  }

  void copy(int64_t row) const {
    std::byte* to = y_;
    int64_t from = 0;
    for (size_t a = axes_.size(); a-- > 0;) {
      const auto extent = static_cast<int64_t>(axes_[a].from.size());
      const int64_t at = row % extent;
      row /= extent;
      to += at * axes_[a].stride;
      const int64_t step = axes_[a].from[static_cast<size_t>(at)];
      from = from == kMissing || step == kMissing ? kMissing : from + step;
    }
    for (const Run& run : runs_) {
      if (from == kMissing || run.from == kMissing) {
        pattern_.fill(to + run.to, run.count);
      } else {
        const std::byte* source = x_ + from + run.from;
        if (run.count == 1) {
          copy_row(source, 0, to + run.to, 0, 1, size_);
        } else {
          std::memcpy(to + run.to, source, static_cast<size_t>(run.count * size_));
        }
      }
    }
  }

  const std::byte* x_;
  std::byte* y_;
  int64_t size_;
  ElementPattern pattern_;
  int threads_;
  std::vector<Axis> axes_;  ///< outermost first; what is inside of them is one row of runs_
  std::vector<Run> runs_;
  int64_t rows_ = 1, work_ = 1;
};

std::unique_ptr<PreparedOp> prepare_pad(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const Attributes& attributes = request.node.attributes;
  const std::vector<int64_t> before = attributes.get_ints("before", {});
  const auto mode = parse_pad_mode(attributes.get_string("mode", "constant"));
  if (!mode) return nullptr;
  std::vector<std::vector<int64_t>> sources(y.shape().size());
  for (size_t a = 0; a < sources.size(); ++a) {
    for (int64_t i = 0; i < y.shape()[a]; ++i) sources[a].push_back(pad_source(*mode, i - before[a], x.shape()[a]));
  }
  return std::make_unique<MappedCopyOp>(x, y, sources, attributes.get_double("value", 0), context.threads);
}

std::unique_ptr<PreparedOp> prepare_tile(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  std::vector<std::vector<int64_t>> sources(y.shape().size());
  for (size_t a = 0; a < sources.size(); ++a) {
    for (int64_t i = 0; i < y.shape()[a]; ++i) sources[a].push_back(i % x.shape()[a]);
  }
  return std::make_unique<MappedCopyOp>(x, y, sources, 0, context.threads);
}

std::unique_ptr<PreparedOp> prepare_nearest_resize(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const Attributes& attributes = request.node.attributes;
  if (attributes.get_string("mode", "nearest") != "nearest") return nullptr;
  std::vector<std::vector<int64_t>> sources;
  for (const ResizeAxis& axis : resize_axes(x.shape(), attributes)) {
    std::vector<int64_t>& table = sources.emplace_back(axis.index);
    for (size_t i = 0; i < table.size(); ++i) table[i] = axis.outside[i] != 0 ? -1 : table[i];
  }
  return std::make_unique<MappedCopyOp>(x, y, sources, attributes.get_double("extrapolation_value", 0), context.threads);
}

// ---- gather -----------------------------------------------------------------------------------------------------------------

/// Copies blocks of neighbouring elements, one per index and outer element.
class GatherOp final : public PreparedOp {
 public:
  GatherOp(const PrepareRequest& request, size_t axis, int threads)
      : x_(request.arguments.inputs[0].data()),
        y_(request.arguments.outputs[0].data()),
        indices_(request.arguments.inputs[1]),
        extent_(request.arguments.inputs[0].shape()[axis]),
        threads_(threads),
        outside_(request.arguments.inputs[0].dtype(), outside_value(request.arguments.inputs[0].dtype())) {
    const TensorType& x = request.arguments.inputs[0].type();
    const int64_t size = size_bytes(x.dtype);
    outer_ = element_offsets(some_axes(x, 0, axis));
    for (int64_t& offset : outer_) offset *= size;
    step_ = x.strides[axis] * size;
    block_ = some_axes(x, axis + 1, x.shape.size()).elements();
    block_bytes_ = block_ * size;
  }
  void run() override {
    const int64_t count = indices_.count(), blocks = count * static_cast<int64_t>(outer_.size());
    parallel_parts(threads_, blocks, 1, blocks * block_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t index = indices_.at(i % count, extent_);
        std::byte* to = y_ + i * block_bytes_;
        if (index < 0) {
          outside_.fill(to, block_);
        } else {
          copy_block(x_ + outer_[static_cast<size_t>(i / count)] + index * step_, to);
        }
      }
    });
  }
  std::string kernel_name() const override { return "own row copies"; }

 private:
  void copy_block(const std::byte* from, std::byte* to) const {
    if (block_bytes_ == 4) {
      std::memcpy(to, from, 4);
    } else if (block_bytes_ == 8) {
      std::memcpy(to, from, 8);
    } else {
      std::memcpy(to, from, static_cast<size_t>(block_bytes_));
    }
  }

  const std::byte* x_;
  std::byte* y_;
  IndexReader indices_;
  int64_t extent_;
  int threads_;
  ElementPattern outside_;
  std::vector<int64_t> outer_;  ///< where the outer elements of x begin, in bytes
  int64_t step_ = 0, block_ = 0, block_bytes_ = 0;
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

// ---- one_hot ----------------------------------------------------------------------------------------------------------------

class OneHotOp final : public PreparedOp {
 public:
  OneHotOp(const PrepareRequest& request, int threads)
      : y_(request.arguments.outputs[0].data()),
        size_(size_bytes(request.arguments.outputs[0].dtype())),
        split_(split_at(request.arguments.outputs[0].shape(), request.node.attributes.get_int("axis", -1))),
        indices_(request.arguments.inputs[0]),
        on_(request.arguments.outputs[0].dtype(), request.node.attributes.get_double("on", 1)),
        off_(request.arguments.outputs[0].dtype(), request.node.attributes.get_double("off", 0)),
        threads_(threads) {}
  void run() override {
    const int64_t block = split_.extent * split_.inner;
    parallel_for(threads_, split_.outer, split_.outer * block, [&](int64_t o) {
      std::byte* to = y_ + o * block * size_;
      off_.fill(to, block);
      for (int64_t k = 0; k < split_.inner; ++k) {
        const int64_t index = indices_.at(o * split_.inner + k, split_.extent);
        if (index >= 0) on_.fill(to + (index * split_.inner + k) * size_, 1);
      }
    });
  }
  std::string kernel_name() const override { return "own fill"; }

 private:
  std::byte* y_;
  int64_t size_;
  AxisSplit split_;
  IndexReader indices_;
  ElementPattern on_, off_;
  int threads_;
};

std::unique_ptr<PreparedOp> prepare_one_hot(Context& context, const PrepareRequest& request) {
  if (!row_major(request.arguments.inputs[0].type()) || !row_major(request.arguments.outputs[0].type())) return nullptr;
  return std::make_unique<OneHotOp>(request, context.threads);
}

// ---- triangle ---------------------------------------------------------------------------------------------------------------

/// Per row the kept stretch is copied, the rest zeroed.
class TriangleOp final : public PreparedOp {
 public:
  TriangleOp(const PrepareRequest& request, int threads)
      : x_(request.arguments.inputs[0]),
        y_(request.arguments.outputs[0]),
        upper_(request.node.attributes.get_int("upper", 1) != 0),
        threads_(threads) {
    const Shape& shape = x_.shape();
    k_ = std::clamp(request.node.attributes.get_int("k", 0), -shape.end()[-2], shape.back());
    x_rows_ = element_offsets(some_axes(x_.type(), 0, shape.size() - 1));
    y_rows_ = element_offsets(some_axes(y_.type(), 0, shape.size() - 1));
  }
  void run() override {
    const int64_t rows = x_.shape().end()[-2], columns = x_.shape().back(), size = size_bytes(x_.dtype());
    const auto bytes = [size](int64_t count) { return static_cast<size_t>(count * size); };
    parallel_for(threads_, static_cast<int64_t>(x_rows_.size()), x_.type().elements(), [&](int64_t row) {
      const auto at = static_cast<size_t>(row);
      const std::byte* from = x_.data() + x_rows_[at] * size;
      std::byte* to = y_.data() + y_rows_[at] * size;
      const int64_t border = std::clamp<int64_t>(row % rows + k_ + (upper_ ? 0 : 1), 0, columns);
      const int64_t first = upper_ ? border : 0, last = upper_ ? columns : border;
      std::memset(to, 0, bytes(first));
      std::memcpy(to + first * size, from + first * size, bytes(last - first));
      std::memset(to + last * size, 0, bytes(columns - last));
    });
  }
  std::string kernel_name() const override { return "own row copies"; }

 private:
  Tensor x_, y_;
  bool upper_;
  int threads_;
  int64_t k_ = 0;
  std::vector<int64_t> x_rows_, y_rows_;
};

std::unique_ptr<PreparedOp> prepare_triangle(Context& context, const PrepareRequest& request) {
  for (const Tensor* tensor : {&request.arguments.inputs[0], &request.arguments.outputs[0]}) {
    if (tensor->shape().back() != 1 && tensor->strides().back() != 1) return nullptr;
  }
  return std::make_unique<TriangleOp>(request, context.threads);
}

constexpr Kernel kKernels[] = {
    {"concat", prepare_concat},   {"pad", prepare_pad},
    {"tile", prepare_tile},       {"resize", prepare_nearest_resize},
    {"gather", prepare_gather},   {"one_hot", prepare_one_hot},
    {"triangle", prepare_triangle}, {"gather_grad", prepare_gather_grad},
    {"embedding_bag", prepare_embedding_bag},
    {"gather_elements", prepare_gather_elements},
    {"scatter_elements", prepare_scatter_elements},
    {"scatter_nd", prepare_scatter_nd},
    {"top_k", prepare_top_k},
    {"resize", prepare_resize},
};

}  // namespace

std::span<const Kernel> indexing_kernels() { return kKernels; }

}  // namespace engine::cpu
