// SPDX-License-Identifier: Apache-2.0
// oneDNN is asked for a Winograd primitive; which tiles it chose its name tells. Which way is faster is measured.
#include "engine/kernels/convolution/winograd.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string_view>

#include "engine/kernels/convolution/convolution_images.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/shortest_run.h"

namespace engine::cpu {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// One image and its convolution in both ways.
class Timed {
 public:
  /// `image`, `result`: [1, channels, extent, extent], channels last.
  Timed(const Tensor& image, const Tensor& result)
      : channels_(image.shape()[1]), image_(image), result_(result), bias_(static_cast<size_t>(channels_)) {
    std::fill_n(image_.data_as<float>(), image_.type().elements(), 1.0F);  // zeros might be faster
  }

  /// As direct sums and by Winograd's filtering; nothing for a way there is not.
  std::array<std::function<void()>, 2> ways() {
    const std::optional<Winograd> found = find_winograd(context_, problem());
    return {way(forward_desc(context_, problem(), dnnl::prop_kind::forward_inference)),
            found ? way(found->descriptor) : nullptr};
  }

 private:
  ConvolutionProblem problem() const {
    Attributes attributes;
    attributes.set("padding", std::vector<int64_t>{1, 1, 1, 1});
    const TensorType bias = TensorType::contiguous(DType::float32, {channels_});
    return *make_convolution_problem(attributes, image_.type(),
                                     TensorType::contiguous(DType::float32, {channels_, channels_, 3, 3}),
                                     image_.type(), &bias);
  }
  /// Has run once; nothing without memory.
  std::function<void()> way(const dnnl::convolution_forward::primitive_desc& descriptor) {
    const ConvolutionProblem p = problem();
    const ConvolutionImages::Layouts layouts{p.x, p.y};
    const auto weights = Storage::allocate_host(static_cast<int64_t>(descriptor.weights_desc().get_size()));
    const auto scratch = Storage::allocate_host(
        std::max<int64_t>(64, ConvolutionImages::scratchpad_bytes(context_, descriptor, layouts)));
    if (!weights || !scratch) return nullptr;
    std::fill_n(reinterpret_cast<float*>((*weights)->data()), descriptor.weights_desc().get_size() / sizeof(float),
                1.0F);
    const int64_t apart = image_.type().elements() * static_cast<int64_t>(sizeof(float));
    const ConvolutionImages::Places places{.x = image_.data(),
                                           .weights = (*weights)->data(),
                                           .bias = reinterpret_cast<std::byte*>(bias_.data()),
                                           .y = result_.data(),
                                           .scratchpads = (*scratch)->data(),
                                           .x_apart = apart,
                                           .y_apart = apart,
                                           .layouts = layouts};
    const auto images =
        std::make_shared<const ConvolutionImages>(context_, descriptor, places, 1, [](int64_t, int64_t) {});
    images->run();
    return [images, weights = *weights, scratch = *scratch] { images->run(); };
  }

  Context context_{BackendOptions{.threads = 1}};
  int64_t channels_;
  Tensor image_, result_;
  std::vector<float> bias_;
};

}  // namespace

std::optional<Winograd> find_winograd(const Context& context, const ConvolutionProblem& p) {
  using Dims = dnnl::memory::dims;
  const Dims weight = p.weight_ours.dims();
  if (weight.size() != 4 || weight[2] != 3 || weight[3] != 3 || p.stride != Dims{1, 1} || p.dilation != Dims{0, 0} ||
      !p.bias)
    return std::nullopt;
  const auto any = [](const dnnl::memory::desc& of) {
    return dnnl::memory::desc(of.dims(), of.data_type(), dnnl::memory::format_tag::any);
  };
  try {
    using Forward = dnnl::convolution_forward;
    const Forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_winograd, any(p.x),
                             p.weight_any, *p.bias, any(p.y), p.stride, p.dilation, p.padding_begin, p.padding_end);
    Winograd found{.descriptor = {desc, user_scratchpad(), context.dnnl->engine}};
    const std::string_view name = found.descriptor.impl_info_str();
    if (name.find("wino") == std::string_view::npos) return std::nullopt;
    if (name.find("2x3") != std::string_view::npos) return found;
    found.tile = 4;
    if (name.find("4x3") != std::string_view::npos) return found;
  } catch (const dnnl::error&) {  // it has none
  }
  return std::nullopt;
}

std::vector<WinogradTiming> measure_winograd(int* left_out) {
  // ResNet's, then of VGG those that are none of them.
  constexpr std::pair<int64_t, int64_t> kShapes[] = {{64, 56},  {128, 28}, {256, 14}, {512, 7},
                                                     {64, 224}, {256, 56}, {512, 28}};
  set_calling_thread_count(1);
  std::vector<WinogradTiming> timings;
  for (const auto& [channels, extent] : kShapes) {
    WinogradTiming timing{channels, extent, kUnknown, kUnknown};
    const TensorType images = TensorType::channels_last(DType::float32, {1, channels, extent, extent});
    const auto image = Tensor::empty(images), result = Tensor::empty(images);
    try {
      if (!image || !result) throw std::bad_alloc();
      Timed timed(*image, *result);
      const ShortestRuns runs = shortest_runs(timed.ways());
      if (!runs.settled) {
        if (left_out != nullptr) ++*left_out;
        continue;
      }
      timing.direct_ns = runs.ns[0];
      timing.winograd_ns = runs.ns[1];
    } catch (const std::exception&) {  // no memory, or no primitive: not chosen
    }
    timings.push_back(timing);
  }
  return timings;
}

std::optional<Winograd> choose_winograd(const Context& context, const ConvolutionProblem& p) {
  const BackendOptions& options = context.options;
  if (options.winograd == WinogradUse::never) return std::nullopt;
  if (options.winograd == WinogradUse::fastest) {
    const auto x = p.x.dims(), y = p.y.dims();
    if (x.size() != 4 || !winograd_is_faster(options.winograd_timings, x[1], y[1], y[2], y[3])) return std::nullopt;
  }
  return find_winograd(context, p);
}

double winograd_spared_flops(int tile, int64_t images, int64_t height, int64_t width, int64_t in, int64_t out) {
  const int64_t tiles = ((height + tile - 1) / tile) * ((width + tile - 1) / tile), products = (tile + 2) * (tile + 2);
  return 2.0 * static_cast<double>(images) * static_cast<double>(in) * static_cast<double>(out) *
         static_cast<double>(9 * height * width - tiles * products);
}

}  // namespace engine::cpu
