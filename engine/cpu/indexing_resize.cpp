// SPDX-License-Identifier: Apache-2.0
// Linear and cubic resize of f32 and f64 tensors: per row of y the rows of x it lies between are blended, then the row itself is
// interpolated where its axis is resized.
#include <algorithm>
#include <string>

#include "engine/cpu/indexing.h"
#include "engine/cpu/indexing_kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/graph/resize_axes.h"

namespace engine::cpu {
namespace {

template <class T>
class ResizeOp final : public PreparedOp {
 public:
  ResizeOp(const PrepareRequest& request, std::vector<ResizeAxis> axes, int threads)
      : x_(request.arguments.inputs[0].data_as<const T>()),
        y_(request.arguments.outputs[0].data_as<T>()),
        extrapolation_(static_cast<T>(request.node.attributes.get_double("extrapolation_value", 0))),
        threads_(threads) {
    const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
    for (size_t a = 0; a < axes.size(); ++a) {
      if (y.shape()[a] == 1 && axes[a].identity) continue;
      axes_.push_back({x.strides()[a], y.strides()[a], x.shape()[a], y.shape()[a], std::move(axes[a])});
    }
    std::ranges::stable_sort(axes_, std::ranges::greater{}, &Axis::y_stride);
    if (axes_.empty() || axes_.back().y_stride != 1) axes_.push_back(single());
    for (size_t a = 0; a + 1 < axes_.size(); ++a) rows_ *= axes_[a].outputs;
  }

  void run() override {
    const Axis& inner = axes_.back();
    parallel_parts(threads_, rows_, 1, rows_ * inner.outputs, [&](int64_t begin, int64_t end) {
      std::vector<Term> terms;
      std::vector<T> blended(static_cast<size_t>(inner.inputs));
      for (int64_t row = begin; row < end; ++row) {
        T* to = nullptr;
        if (!find_terms(row, terms, to)) {
          std::fill_n(to, inner.outputs, extrapolation_);
        } else if (inner.map.identity) {
          blend(terms, inner, to);
        } else {
          blend(terms, inner, blended.data());
          interpolate(blended.data(), inner, to);
        }
      }
    });
  }
  std::string kernel_name() const override { return "own interpolation"; }

 private:
  struct Axis {
    int64_t x_stride = 0, y_stride = 1, inputs = 1, outputs = 1;
    ResizeAxis map = {};
  };
  /// A row of x (where it begins) and what it counts.
  struct Term {
    int64_t offset = 0;
    double weight = 1;
  };

  /// An axis of one element, where y has none that lies side by side.
  static Axis single() { return {.x_stride = 0, .y_stride = 1, .inputs = 1, .outputs = 1, .map = {.index = {0}, .weight = {1}, .outside = {0}}}; }

  /// The rows of x that row number `row` of y is blended from, and where it is written; false: it lies outside of x.
  bool find_terms(int64_t row, std::vector<Term>& terms, T*& to) const {
    to = y_;
    terms.assign(1, Term{});
    bool inside = true;
    for (size_t a = axes_.size() - 1; a-- > 0;) {
      const Axis& axis = axes_[a];
      const int64_t at = row % axis.outputs;
      row /= axis.outputs;
      to += at * axis.y_stride;
      inside = inside && axis.map.outside[static_cast<size_t>(at)] == 0;
      const size_t count = terms.size();
      for (size_t i = 0; i < count; ++i) {
        const Term before = terms[i];
        bool first = true;
        for (int64_t t = 0; t < axis.map.taps; ++t) {
          const auto tap = static_cast<size_t>(at * axis.map.taps + t);
          if (axis.map.weight[tap] == 0) continue;
          const Term term{before.offset + axis.map.index[tap] * axis.x_stride, before.weight * axis.map.weight[tap]};
          if (first) {
            terms[i] = term;
          } else {
            terms.push_back(term);
          }
          first = false;
        }
      }
    }
    return inside;
  }

  void blend(const std::vector<Term>& terms, const Axis& inner, T* to) const {
    bool first = true;
    for (const Term& term : terms) {
      const T* from = x_ + term.offset;
      const T weight = static_cast<T>(term.weight);
      if (inner.x_stride == 1) {
        for (int64_t k = 0; k < inner.inputs; ++k) to[k] = first ? weight * from[k] : to[k] + weight * from[k];
      } else {
        for (int64_t k = 0; k < inner.inputs; ++k) {
          const T value = weight * from[k * inner.x_stride];
          to[k] = first ? value : to[k] + value;
        }
      }
      first = false;
    }
  }

  void interpolate(const T* from, const Axis& inner, T* to) const {
    const int64_t taps = inner.map.taps;
    for (int64_t i = 0; i < inner.outputs; ++i) {
      T sum{0};
      for (int64_t t = 0; t < taps; ++t) {
        const auto tap = static_cast<size_t>(i * taps + t);
        // A tap without weight is not read: infinity times 0 would be NaN.
        if (inner.map.weight[tap] != 0) sum += static_cast<T>(inner.map.weight[tap]) * from[inner.map.index[tap]];
      }
      to[i] = inner.map.outside[static_cast<size_t>(i)] != 0 ? extrapolation_ : sum;
    }
  }

  const T* x_;
  T* y_;
  T extrapolation_;
  int threads_;
  std::vector<Axis> axes_;  ///< outermost first in y; the last lies side by side
  int64_t rows_ = 1;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_resize(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (request.node.attributes.get_string("mode", "nearest") == "nearest") return nullptr;
  std::vector<ResizeAxis> axes = resize_axes(x.shape(), request.node.attributes);
  if (y.dtype() == DType::float32) return std::make_unique<ResizeOp<float>>(request, std::move(axes), context.threads);
  if (y.dtype() == DType::float64) return std::make_unique<ResizeOp<double>>(request, std::move(axes), context.threads);
  return nullptr;
}

}  // namespace engine::cpu
