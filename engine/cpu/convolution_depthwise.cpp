// SPDX-License-Identifier: Apache-2.0
// Convolutions with a group per channel and channels side by side, and their gradients, by our own loops: a product of columns would have
// one row. Forward and by the input each pixel of the result gathers the taps that meet it; by the weights each thread has channels of its
// own, whose sums go into double after each row of pixels.
#include <fmt/format.h>

#include "engine/cpu/convolution_own.h"
#include "engine/cpu/depthwise_simd.h"
#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/parallel.h"

namespace engine::cpu {
namespace {

template <class T>
DepthwiseLoops<T> depthwise_loops() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return depthwise_loops_f32();
  } else {
    return depthwise_loops_f64();
  }
}

std::string name_of() { return fmt::format("own depthwise loops ({})", vector_unit()); }

Axes3 pixel_of(const Axes3& extents, int64_t pixel) { return {pixel / (extents[1] * extents[2]), pixel / extents[2] % extents[1], pixel % extents[2]}; }

template <class T>
int64_t offset(const Images<T>& images, int64_t image, const Axes3& at) {
  return image * images.batch + at[0] * images.pixel[0] + at[1] * images.pixel[1] + at[2] * images.pixel[2];
}

/// Where the pixel `at` of y reads x under a tap, or the other way round: where the pixel `at` of x is read from. False: nowhere.
bool reads(const ConvolutionGeometry& g, const Axes3& at, const Axes3& tap, Axes3& from) {
  for (size_t axis = 0; axis < 3; ++axis) {
    from[axis] = at[axis] * g.stride[axis] + tap[axis] * g.dilation[axis] - g.padding[axis];
    if (from[axis] < 0 || from[axis] >= g.in[axis]) return false;
  }
  return true;
}
bool is_read(const ConvolutionGeometry& g, const Axes3& at, const Axes3& tap, Axes3& by) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t position = at[axis] - tap[axis] * g.dilation[axis] + g.padding[axis];
    by[axis] = position / g.stride[axis];
    if (position < 0 || position % g.stride[axis] != 0 || by[axis] >= g.out[axis]) return false;
  }
  return true;
}

/// Forward (from x to y) and the gradient by the input (from dy to dx).
template <class T>
class DepthwiseOp final : public PreparedOp {
 public:
  DepthwiseOp(const PrepareRequest& request, const ConvolutionGeometry& geometry, bool forward, int threads)
      : g_(geometry),
        from_(Images<const T>::of(request.arguments.inputs[0])),
        to_(Images<T>::of(request.arguments.outputs[0])),
        weight_(request.arguments.inputs[1]),
        bias_(forward && request.arguments.inputs.size() > 2 ? request.arguments.inputs[2].data_as<const T>() : nullptr),
        packed_(reinterpret_cast<T*>(request.workspace)),
        forward_(forward),
        threads_(threads) {}

  void run() override {
    const int64_t channels = g_.groups, taps = g_.taps();
    const Axes3& extents = forward_ ? g_.out : g_.in;
    const int64_t pixels = extents[0] * extents[1] * extents[2];
    pack();
    parallel_parts(threads_, g_.batch * pixels, 1, g_.batch * pixels * channels * taps, [&](int64_t begin, int64_t end) {
      std::vector<const T*> x(static_cast<size_t>(taps)), w(x);
      for (int64_t at = begin; at < end; ++at) {
        const int64_t image = at / pixels;
        const Axes3 pixel = pixel_of(extents, at % pixels);
        size_t count = 0;
        for (int64_t tap = 0; tap < taps; ++tap) {
          Axes3 there;
          if (!(forward_ ? reads(g_, pixel, g_.position(tap), there) : is_read(g_, pixel, g_.position(tap), there))) continue;
          x[count] = from_.data + offset(from_, image, there);
          w[count++] = packed_ + tap * channels;
        }
        loops_.sum(x.data(), w.data(), static_cast<int64_t>(count), bias_, channels, to_.data + offset(to_, image, pixel));
      }
    });
  }
  std::string kernel_name() const override { return name_of(); }

 private:
  /// [tap][channel].
  void pack() {
    const Strides& s = weight_.strides();
    for (int64_t tap = 0; tap < g_.taps(); ++tap) {
      const int64_t apart = g_.weight_offset(tap, s);
      for (int64_t c = 0; c < g_.groups; ++c) packed_[tap * g_.groups + c] = weight_.data_as<const T>()[c * s[0] + apart];
    }
  }

  ConvolutionGeometry g_;
  Images<const T> from_;
  Images<T> to_;
  Tensor weight_;
  const T *bias_;
  T* packed_;
  bool forward_;
  DepthwiseLoops<T> loops_ = depthwise_loops<T>();
  int threads_;
};

template <class T>
class DepthwiseWeightOp final : public PreparedOp {
 public:
  DepthwiseWeightOp(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : g_(geometry),
        dy_(Images<const T>::of(request.arguments.inputs[0])),
        x_(Images<const T>::of(request.arguments.inputs[1])),
        dweight_(request.arguments.outputs[0]),
        near_(static_cast<size_t>(g_.taps() * g_.groups)),
        far_(near_.size()),
        threads_(threads) {}

  void run() override {
    constexpr int64_t kLine = 16;  // channels, so that threads do not write into one cache line
    const int64_t pixels = g_.pixels();
    parallel_parts(threads_, g_.groups, kLine, g_.batch * pixels * g_.groups * g_.taps(), [&](int64_t begin, int64_t end) { channels(begin, end - begin); });
  }
  std::string kernel_name() const override { return name_of(); }

 private:
  void channels(int64_t first, int64_t count) {
    const int64_t taps = g_.taps(), pixels = g_.pixels();
    std::vector<const T*> x(static_cast<size_t>(taps));
    std::vector<T*> to(static_cast<size_t>(taps));
    const auto each = [&](const auto& body) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        for (int64_t c = first; c < first + count; ++c) body(static_cast<size_t>(tap * g_.groups + c), tap, c);
      }
    };
    each([&](size_t i, int64_t, int64_t) { near_[i] = 0, far_[i] = 0; });
    for (int64_t at = 0; at < g_.batch * pixels; ++at) {
      const int64_t image = at / pixels;
      const Axes3 pixel = pixel_of(g_.out, at % pixels);
      size_t met = 0;
      for (int64_t tap = 0; tap < taps; ++tap) {
        Axes3 there;
        if (!reads(g_, pixel, g_.position(tap), there)) continue;
        x[met] = x_.data + offset(x_, image, there) + first;
        to[met++] = near_.data() + tap * g_.groups + first;
      }
      loops_.accumulate(x.data(), dy_.data + offset(dy_, image, pixel) + first, static_cast<int64_t>(met), count, to.data());
      if (pixel[2] + 1 == g_.out[2]) each([&](size_t i, int64_t, int64_t) { far_[i] += static_cast<double>(near_[i]), near_[i] = 0; });
    }
    const Strides& s = dweight_.strides();
    each([&](size_t i, int64_t tap, int64_t c) {
      dweight_.data_as<T>()[c * s[0] + g_.weight_offset(tap, s)] = static_cast<T>(far_[i]);
    });
  }

  ConvolutionGeometry g_;
  Images<const T> dy_, x_;
  Tensor dweight_;
  std::vector<T> near_;
  std::vector<double> far_;
  DepthwiseLoops<T> loops_ = depthwise_loops<T>();
  int threads_;
};

bool is_depthwise(const ConvolutionGeometry& g, const Tensor& one, const Tensor& other) {
  return g.groups > 1 && g.inputs == 1 && g.outputs == 1 && one.strides()[1] == 1 && other.strides()[1] == 1;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_depthwise(const PrepareRequest& request, const ConvolutionGeometry& g, ConvolutionPass pass, int threads) {
  const Tensor &in = request.arguments.inputs[0], &out = request.arguments.outputs[0];
  const bool by_weight = pass == ConvolutionPass::by_weight;
  if (!is_depthwise(g, in, by_weight ? request.arguments.inputs[1] : out)) return nullptr;
  const bool f32 = out.dtype() == DType::float32, forward = pass == ConvolutionPass::forward;
  if (by_weight) {
    if (f32) return std::make_unique<DepthwiseWeightOp<float>>(request, g, threads);
    return std::make_unique<DepthwiseWeightOp<double>>(request, g, threads);
  }
  if (f32) return std::make_unique<DepthwiseOp<float>>(request, g, forward, threads);
  return std::make_unique<DepthwiseOp<double>>(request, g, forward, threads);
}

}  // namespace engine::cpu
