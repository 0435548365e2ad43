// SPDX-License-Identifier: Apache-2.0
// The gradient of a resize, gathered: each element of dx adds up what the resize made of it, so that rows of dx are split over the
// threads. Per row the rows of dy that it went into are blended, then the row itself is gathered where its axis was resized.
#include "engine/cpu/resize_grad.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/parallel.h"
#include "engine/graph/resize_axes.h"

namespace engine::cpu {
namespace {

/// One axis seen from dx: element i went into elements index[k] of dy by weight[k], k from begin[i] to begin[i + 1].
struct Axis {
  int64_t dx_stride = 1, dy_stride = 0, inputs = 1, outputs = 1;
  bool identity = true;
  std::vector<int64_t> begin, index;
  std::vector<double> weight;
};

Axis transposed(const ResizeAxis& map, int64_t inputs) {
  Axis axis{.inputs = inputs, .outputs = static_cast<int64_t>(map.outside.size()), .identity = map.identity, .begin = {}, .index = {}, .weight = {}};
  axis.begin.assign(static_cast<size_t>(inputs) + 1, 0);
  const auto for_each_tap = [&](const auto& visit) {
    for (int64_t i = 0; i < axis.outputs; ++i) {
      if (map.outside[static_cast<size_t>(i)] != 0) continue;
      for (int64_t t = 0; t < map.taps; ++t) {
        const auto tap = static_cast<size_t>(i * map.taps + t);
        if (map.weight[tap] != 0) visit(static_cast<size_t>(map.index[tap]), i, map.weight[tap]);
      }
    }
  };
  for_each_tap([&](size_t input, int64_t, double) { ++axis.begin[input + 1]; });
  for (size_t i = 0; i < static_cast<size_t>(inputs); ++i) axis.begin[i + 1] += axis.begin[i];
  axis.index.resize(static_cast<size_t>(axis.begin.back()));
  axis.weight.resize(axis.index.size());
  std::vector<int64_t> next = axis.begin;
  for_each_tap([&](size_t input, int64_t output, double weight) {
    const auto place = static_cast<size_t>(next[input]++);
    axis.index[place] = output;
    axis.weight[place] = weight;
  });
  return axis;
}

template <class T>
class ResizeGradOp final : public PreparedOp {
 public:
  ResizeGradOp(const PrepareRequest& request, const std::vector<ResizeAxis>& maps, int threads)
      : dy_(request.arguments.inputs[0].data_as<const T>()), dx_(request.arguments.outputs[0].data_as<T>()), threads_(threads) {
    const Tensor &dy = request.arguments.inputs[0], &dx = request.arguments.outputs[0];
    for (size_t a = 0; a < maps.size(); ++a) {
      axes_.push_back(transposed(maps[a], dx.shape()[a]));
      axes_.back().dx_stride = dx.strides()[a];
      axes_.back().dy_stride = dy.strides()[a];
    }
    std::ranges::stable_sort(axes_, std::ranges::greater{}, &Axis::dx_stride);
    for (size_t a = 0; a + 1 < axes_.size(); ++a) rows_ *= axes_[a].inputs;
  }

  void run() override {
    const Axis& inner = axes_.back();
    parallel_parts(threads_, rows_, 1, rows_ * inner.outputs, [&](int64_t begin, int64_t end) {
      std::vector<Term> terms;
      std::vector<T> blended(static_cast<size_t>(inner.outputs));
      for (int64_t row = begin; row < end; ++row) {
        T* const to = dx_ + find_terms(row, terms);
        T* const whole = inner.identity ? to : blended.data();
        blend(terms, inner, whole);
        if (!inner.identity) gather(whole, inner, to);
      }
    });
  }
  std::string kernel_name() const override { return "own interpolation, gathered"; }

 private:
  struct Term {
    int64_t offset = 0;  ///< of a row of dy
    double weight = 1;
  };

  /// What row number `row` of dx went into, and where it lies.
  int64_t find_terms(int64_t row, std::vector<Term>& terms) const {
    int64_t place = 0;
    terms.assign(1, Term{});
    for (size_t a = axes_.size() - 1; a-- > 0;) {
      const Axis& axis = axes_[a];
      const auto at = static_cast<size_t>(row % axis.inputs);
      row /= axis.inputs;
      place += static_cast<int64_t>(at) * axis.dx_stride;
      const std::vector<Term> before = std::move(terms);
      terms.clear();
      for (const Term& term : before) {
        for (auto k = static_cast<size_t>(axis.begin[at]); k < static_cast<size_t>(axis.begin[at + 1]); ++k)
          terms.push_back({term.offset + axis.index[k] * axis.dy_stride, term.weight * axis.weight[k]});
      }
    }
    return place;
  }

  void blend(const std::vector<Term>& terms, const Axis& inner, T* to) const {
    std::fill_n(to, inner.outputs, T{0});
    for (const Term& term : terms) {
      const T* from = dy_ + term.offset;
      const T weight = static_cast<T>(term.weight);
      if (inner.dy_stride == 1) {
        for (int64_t k = 0; k < inner.outputs; ++k) to[k] += weight * from[k];
      } else {
        for (int64_t k = 0; k < inner.outputs; ++k) to[k] += weight * from[k * inner.dy_stride];
      }
    }
  }

  void gather(const T* from, const Axis& inner, T* to) const {
    for (size_t i = 0; i < static_cast<size_t>(inner.inputs); ++i) {
      T sum{0};
      for (auto k = static_cast<size_t>(inner.begin[i]); k < static_cast<size_t>(inner.begin[i + 1]); ++k) sum += static_cast<T>(inner.weight[k]) * from[inner.index[k]];
      to[i] = sum;
    }
  }

  const T* dy_;
  T* dx_;
  int threads_;
  std::vector<Axis> axes_;  ///< outermost first in dx; the last lies side by side
  int64_t rows_ = 1;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_resize_grad(Context& context, const PrepareRequest& request) {
  const Tensor& dx = request.arguments.outputs[0];
  const bool one_dtype = request.arguments.inputs[0].dtype() == dx.dtype();
  if (!one_dtype || std::ranges::find(dx.strides(), 1) == dx.strides().end()) return nullptr;
  for (size_t a = 0; a < dx.shape().size(); ++a) {
    if (dx.shape()[a] > 1 && dx.strides()[a] < 1) return nullptr;
  }
  const std::vector<ResizeAxis> axes = resize_axes(dx.shape(), request.node.attributes);
  if (dx.dtype() == DType::float32) return std::make_unique<ResizeGradOp<float>>(request, axes, context.threads);
  if (dx.dtype() == DType::float64) return std::make_unique<ResizeGradOp<double>>(request, axes, context.threads);
  return nullptr;
}

}  // namespace engine::cpu
