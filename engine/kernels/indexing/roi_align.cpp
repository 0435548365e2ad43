// SPDX-License-Identifier: Apache-2.0
// Pooling of regions: samples of all channels at once, which lie side by side in a map that is channels last.
#include <algorithm>
#include <limits>
#include <vector>

#include "engine/graph/element_maps.h"
#include "engine/graph/roi_samples.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/indexing/indexing_kernels.h"

namespace engine::cpu {
namespace {

template <class T>
class RoiAlignOp final : public PreparedOp {
 public:
  RoiAlignOp(const PrepareRequest& request, int threads)
      : arguments_(request.arguments),
        grid_(request.node.attributes, arguments_.inputs[0].shape()[2], arguments_.inputs[0].shape()[3]),
        channels_(arguments_.inputs[0].shape()[1]),
        largest_(request.node.attributes.get_string("mode", "avg") == "max"),
        wide_(arguments_.inputs[2].dtype() == DType::int64),
        threads_(threads) {}

  void run() override {
    const Tensor& y = arguments_.outputs[0];
    const int64_t regions = y.shape()[0], bins = grid_.height * grid_.width;
    parallel_parts(threads_, regions, 1, 16 * y.type().elements(), [&](int64_t begin, int64_t end) {
      std::vector<T> made(static_cast<size_t>(bins * channels_));
      for (int64_t r = begin; r < end; ++r) region(r, made);
    });
  }
  KernelFacts facts() const override { return {.name = "own bilinear samples"}; }

 private:
  /// `made`: [bins, channels], for one region at a time; it stays in a cache.
  void region(int64_t r, std::vector<T>& made) const {
    const Tensor &x = arguments_.inputs[0], &places = arguments_.inputs[1];
    const int64_t which = r * arguments_.inputs[2].strides()[0];
    const int64_t image = wide_ ? arguments_.inputs[2].data_as<int64_t>()[which]
                                : int64_t{arguments_.inputs[2].data_as<int32_t>()[which]};
    const int64_t bins = grid_.height * grid_.width;
    T* const y = arguments_.outputs[0].template data_as<T>() + r * bins * channels_;
    if (image < 0 || image >= x.shape()[0]) {
      std::fill_n(y, bins * channels_, std::numeric_limits<T>::quiet_NaN());
      return;
    }
    T corners[4];
    for (int64_t k = 0; k < 4; ++k)
      corners[k] = places.template data_as<T>()[r * places.strides()[0] + k * places.strides()[1]];
    const RoiAxis<T> down(grid_, corners[1], corners[3], grid_.height, grid_.rows),
        along(grid_, corners[0], corners[2], grid_.width, grid_.columns);
    const T* const map = x.template data_as<T>() + image * x.strides()[0];
    const int64_t count = down.per_bin * along.per_bin;
    for (int64_t bin = 0; bin < bins; ++bin) {
      T* const to = made.data() + bin * channels_;
      std::fill_n(to, channels_, largest_ && count > 0 ? -std::numeric_limits<T>::infinity() : T(0));
      for (int64_t i = 0; i < down.per_bin; ++i) {
        for (int64_t j = 0; j < along.per_bin; ++j) {
          add(map, down.samples[static_cast<size_t>(bin / grid_.width * down.per_bin + i)],
              along.samples[static_cast<size_t>(bin % grid_.width * along.per_bin + j)], to);
        }
      }
      if (largest_ || count == 0) continue;
      const T part = T(1) / static_cast<T>(count);
      for (int64_t c = 0; c < channels_; ++c) to[c] *= part;
    }
    for (int64_t c = 0; c < channels_; ++c) {
      for (int64_t bin = 0; bin < bins; ++bin) y[c * bins + bin] = made[static_cast<size_t>(bin * channels_ + c)];
    }
  }

  void add(const T* map, const RoiSample<T>& v, const RoiSample<T>& h, T* to) const {
    const Strides& strides = arguments_.inputs[0].strides();
    const T* const corner[] = {
        map + v.low * strides[2] + h.low * strides[3], map + v.low * strides[2] + h.high * strides[3],
        map + v.high * strides[2] + h.low * strides[3], map + v.high * strides[2] + h.high * strides[3]};
    const T part[] = {v.part_low * h.part_low, v.part_low * h.part_high, v.part_high * h.part_low,
                      v.part_high * h.part_high};
    if (largest_) {
      for (int64_t c = 0; c < channels_; ++c) {
        to[c] = std::max(
            {to[c], part[0] * corner[0][c], part[1] * corner[1][c], part[2] * corner[2][c], part[3] * corner[3][c]});
      }
      return;
    }
    if (part[0] + part[1] + part[2] + part[3] == T(0)) return;
    for (int64_t c = 0; c < channels_; ++c)
      to[c] += part[0] * corner[0][c] + part[1] * corner[1][c] + part[2] * corner[2][c] + part[3] * corner[3][c];
  }

  const KernelArguments arguments_;
  const RoiGrid grid_;
  const int64_t channels_;
  const bool largest_, wide_;
  const int threads_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_roi_align(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  const Tensor& y = request.arguments.outputs[0];
  const bool channels_last = inputs[0].strides()[1] == 1 || inputs[0].shape()[1] == 1;
  if (!channels_last || !is_contiguous(y.shape(), y.strides())) return nullptr;
  if (inputs[0].dtype() == DType::float32) return std::make_unique<RoiAlignOp<float>>(request, context.threads);
  if (inputs[0].dtype() == DType::float64) return std::make_unique<RoiAlignOp<double>>(request, context.threads);
  return nullptr;
}

}  // namespace engine::cpu
