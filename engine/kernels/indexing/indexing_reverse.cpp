// SPDX-License-Identifier: Apache-2.0
// reverse_sequence: stretches of elements behind the time and batch axes, copied from the step that the sequence's
// length says.
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "engine/graph/element_maps.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/indexing/indexing.h"
#include "engine/kernels/indexing/indexing_kernels.h"

namespace engine::cpu {
namespace {

/// T: an unsigned integer as wide as an element. x is seen as [outer, steps, middle, stretch]: the stretch lies behind
/// both axes, and the batch axis is the last of either the outer or the middle ones.
template <class T>
class ReverseSequenceOp final : public PreparedOp {
 public:
  ReverseSequenceOp(const PrepareRequest& request, size_t batch, size_t time, int threads)
      : arguments_(request.arguments), threads_(threads), batch_is_outer_(batch < time) {
    const TensorType &x = arguments_.inputs[0].type(), &y = arguments_.outputs[0].type();
    const size_t behind = std::max(batch, time) + 1, rank = x.shape.size();
    steps_ = x.shape[time];
    x_step_ = x.strides[time];
    y_step_ = y.strides[time];
    for (size_t axis = batch + 1; axis < (batch_is_outer_ ? time : behind); ++axis) per_sequence_ *= x.shape[axis];
    lengths_.resize(static_cast<size_t>(x.shape[batch]));
    x_outer_ = element_offsets(some_axes(x, 0, time));
    y_outer_ = element_offsets(some_axes(y, 0, time));
    x_middle_ = element_offsets(some_axes(x, time + 1, behind));
    y_middle_ = element_offsets(some_axes(y, time + 1, behind));
    x_stretch_ = element_offsets(some_axes(x, behind, rank));
    y_stretch_ = element_offsets(some_axes(y, behind, rank));
    side_by_side_ = row_major(some_axes(x, behind, rank)) && row_major(some_axes(y, behind, rank));
    ElementPattern(x.dtype, outside_value(x.dtype)).fill(reinterpret_cast<std::byte*>(&outside_), 1);
  }

  void run() override {
    read_lengths();
    const auto outer = static_cast<int64_t>(x_outer_.size());
    parallel_parts(threads_, outer * steps_, 1, arguments_.outputs[0].type().elements(),
                   [this](int64_t begin, int64_t end) {
                     for (int64_t at = begin; at < end;) {
                       const int64_t first = at % steps_, last = std::min(steps_, first + end - at);
                       for (int64_t step = first; step < last; ++step) turn(at / steps_, step);
                       at += last - first;
                     }
                   });
  }
  KernelFacts facts() const override { return {.name = "own row copies"}; }

 private:
  /// Those that no sequence has become -1.
  void read_lengths() {
    const Tensor& from = arguments_.inputs[1];
    const int64_t stride = from.strides()[0];
    for (size_t i = 0; i < lengths_.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) * stride;
      const int64_t length =
          from.dtype() == DType::int64 ? from.data_as<const int64_t>()[at] : int64_t{from.data_as<const int32_t>()[at]};
      lengths_[i] = length >= 0 && length <= steps_ ? length : -1;
    }
  }
  /// One step of all sequences at `outer`.
  void turn(int64_t outer, int64_t step) const {
    const T* const x = arguments_.inputs[0].data_as<const T>() + x_outer_[static_cast<size_t>(outer)];
    T* const y = arguments_.outputs[0].data_as<T>() + y_outer_[static_cast<size_t>(outer)] + step * y_step_;
    const auto sequences = static_cast<int64_t>(lengths_.size());
    for (size_t m = 0; m < x_middle_.size(); ++m) {
      const int64_t place = batch_is_outer_ ? outer : static_cast<int64_t>(m);
      const int64_t length = lengths_[static_cast<size_t>(place / per_sequence_ % sequences)];
      if (length < 0) fill(y + y_middle_[m]);
      else copy(x + x_middle_[m] + (step < length ? length - 1 - step : step) * x_step_, y + y_middle_[m]);
    }
  }
  void copy(const T* from, T* to) const {
    if (side_by_side_) {
      if (x_stretch_.size() == 1) *to = *from;
      else std::copy_n(from, x_stretch_.size(), to);
      return;
    }
    for (size_t i = 0; i < x_stretch_.size(); ++i) to[y_stretch_[i]] = from[x_stretch_[i]];
  }
  void fill(T* to) const {
    for (const int64_t at : y_stretch_) to[at] = outside_;
  }

  KernelArguments arguments_;  ///< that they stay
  int threads_;
  bool batch_is_outer_, side_by_side_ = false;
  int64_t steps_ = 0, x_step_ = 0, y_step_ = 0;
  int64_t per_sequence_ =
      1;  ///< places behind one another, among the outer or the middle ones, that are of one sequence
  std::vector<int64_t> lengths_;
  std::vector<int64_t> x_outer_, y_outer_, x_middle_, y_middle_, x_stretch_, y_stretch_;
  T outside_{};
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_reverse_sequence(Context& context, const PrepareRequest& request) {
  const TensorType& x = request.arguments.inputs[0].type();
  const auto axis_of = [&](const char* key, int64_t fallback) {
    const int64_t axis = request.node.attributes.get_int(key, fallback);
    return static_cast<size_t>(axis < 0 ? axis + x.rank() : axis);
  };
  if (x.elements() == 0) return nullptr;
  return make_moving<ReverseSequenceOp>(x.dtype, request, axis_of("batch_axis", 1), axis_of("time_axis", 0),
                                        context.threads);
}

}  // namespace engine::cpu
