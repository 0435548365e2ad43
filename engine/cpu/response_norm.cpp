// SPDX-License-Identifier: Apache-2.0
// Local response normalisation and its gradient: sums over the channels around each one, a stretch of an image at a time. Channels
// last, a pixel's channels are one line and windows are that line shifted; row-major, channels are rows and windows add them.
#include "engine/cpu/response_norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/response_norm_simd.h"

namespace engine::cpu {
namespace {

/// Neighbouring pixels of a row-major image that are computed at a time, with all their channels.
constexpr int64_t kPixels = 128;

struct Layout {
  int64_t batch = 0, channels = 0, pixels = 0;
  bool channels_last = false;
};

/// batch == 0: neither layout.
Layout layout_of(const TensorType& type) {
  if (type.dtype != DType::float32 || type.rank() < 2) return {};
  const int64_t rows = type.shape[0] * type.shape[1];
  Layout layout{.batch = type.shape[0], .channels = type.shape[1], .pixels = type.elements() / std::max<int64_t>(rows, 1), .channels_last = false};
  if (is_contiguous(type.shape, type.strides)) return layout;
  if (type.rank() != 4) return {};
  const Strides wanted = channels_last_strides(type.shape);
  for (size_t axis = 0; axis < 4; ++axis) {
    if (type.shape[axis] != 1 && type.strides[axis] != wanted[axis]) return {};
  }
  layout.channels_last = true;
  return layout;
}

class ResponseNormOp final : public PreparedOp {
 public:
  ResponseNormOp(const PrepareRequest& request, const Layout& layout, int threads)
      : in_(request.arguments.inputs), y_(request.arguments.outputs[0]), layout_(layout), threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {
    const Attributes& a = request.node.attributes;
    const int64_t size = a.get_int("size", 5);
    settings_ = {.alpha = static_cast<float>(a.get_double("alpha", 1e-4) / static_cast<double>(size)),
                 .beta = static_cast<float>(a.get_double("beta", 0.75)), .bias = static_cast<float>(a.get_double("bias", 1))};
    before_ = std::min((size - 1) / 2, layout.channels);  // further channels there are none
    after_ = std::min(size / 2, layout.channels);
    // Sums, and values with zeros around them: of the squares, and of the gradient's terms.
    part_ = layout.channels_last ? 2 * (layout.channels + before_ + after_) : 3 * layout.channels * kPixels;
    scratch_.resize(static_cast<size_t>(2 * part_ * threads));
  }
  void run() override {
    const int64_t plane = layout_.channels * layout_.pixels, pieces = layout_.channels_last ? layout_.pixels : (layout_.pixels + kPixels - 1) / kPixels;
    parallel_for(threads_, layout_.batch * pieces, layout_.batch * plane * (before_ + after_ + 8), [&](int64_t piece) {
      const int64_t n = piece / pieces, p = piece % pieces;
      float* scratch = scratch_.data() + 2 * part_ * team_member();
      if (layout_.channels_last) {
        line(n * plane + p * layout_.channels, scratch);
      } else {
        stretch(n * plane + p * kPixels, std::min(kPixels, layout_.pixels - p * kPixels), scratch);
      }
    });
  }
  std::string kernel_name() const override { return name_; }

 private:
  bool gradient() const { return in_.size() == 2; }
  const float* x() const { return in_.back().data_as<const float>(); }
  const float* dy() const { return in_[0].data_as<const float>(); }
  float* y() const { return y_.data_as<float>(); }

  /// sums[c] = values[c - before ... c + after] of a line that has zeros around it.
  void window(const float* values, int64_t before, int64_t after, float* sums) const {
    std::fill_n(sums, layout_.channels, 0.0f);
    for (int64_t shift = -before; shift <= after; ++shift) loops_.add(values + shift, layout_.channels, sums);
  }
  void line(int64_t at, float* scratch) const {
    const int64_t channels = layout_.channels, around = std::max(before_, after_);
    float *sums = scratch, *padded = scratch + channels + around, *term_sums = scratch + part_;
    std::fill_n(padded - around, channels + 2 * around, 0.0f);
    loops_.square(x() + at, channels, padded);
    window(padded, before_, after_, sums);
    if (!gradient()) return loops_.normalize(settings_, x() + at, sums, channels, y() + at);
    loops_.terms(settings_, dy() + at, x() + at, sums, channels, padded);
    window(padded, after_, before_, term_sums);
    loops_.gradient(settings_, dy() + at, x() + at, sums, term_sums, channels, y() + at);
  }

  /// The same of rows, `count` neighbours of each channel.
  void rows(const float* values, int64_t before, int64_t after, int64_t count, float* sums) const {
    for (int64_t c = 0; c < layout_.channels; ++c) {
      std::fill_n(sums + c * kPixels, count, 0.0f);
      const int64_t end = std::min(layout_.channels - 1, c + after);
      for (int64_t other = std::max<int64_t>(0, c - before); other <= end; ++other) loops_.add(values + other * kPixels, count, sums + c * kPixels);
    }
  }
  void stretch(int64_t at, int64_t count, float* scratch) const {
    const int64_t whole = layout_.channels * kPixels;
    float *values = scratch, *sums = scratch + whole, *term_sums = scratch + 2 * whole;
    const auto place = [&](int64_t c) { return at + c * layout_.pixels; };
    for (int64_t c = 0; c < layout_.channels; ++c) loops_.square(x() + place(c), count, values + c * kPixels);
    rows(values, before_, after_, count, sums);
    if (!gradient()) {
      for (int64_t c = 0; c < layout_.channels; ++c) loops_.normalize(settings_, x() + place(c), sums + c * kPixels, count, y() + place(c));
      return;
    }
    for (int64_t c = 0; c < layout_.channels; ++c) loops_.terms(settings_, dy() + place(c), x() + place(c), sums + c * kPixels, count, values + c * kPixels);
    rows(values, after_, before_, count, term_sums);
    for (int64_t c = 0; c < layout_.channels; ++c) {
      loops_.gradient(settings_, dy() + place(c), x() + place(c), sums + c * kPixels, term_sums + c * kPixels, count, y() + place(c));
    }
  }

  std::vector<Tensor> in_;
  Tensor y_;
  Layout layout_;
  int threads_;
  ResponseSettings settings_{};
  int64_t before_ = 0, after_ = 0, part_ = 0;
  std::vector<float> scratch_;
  std::string name_;
  ResponseLoops loops_ = response_loops();
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_response_norm(Context& context, const PrepareRequest& request) {
  const Layout layout = layout_of(request.arguments.outputs[0].type());
  if (layout.batch == 0) return nullptr;
  for (const Tensor& tensor : request.arguments.inputs) {
    const Layout other = layout_of(tensor.type());
    if (other.batch != layout.batch || other.channels_last != layout.channels_last) return nullptr;
  }
  return std::make_unique<ResponseNormOp>(request, layout, context.threads);
}

}  // namespace engine::cpu
