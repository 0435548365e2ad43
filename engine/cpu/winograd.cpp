// SPDX-License-Identifier: Apache-2.0
// oneDNN is asked for a Winograd primitive; which tiles it chose its name tells.
#include "engine/cpu/winograd.h"

#include <string_view>

namespace engine::cpu {

std::optional<Winograd> find_winograd(const Context& context, const ConvolutionProblem& p) {
  using Dims = dnnl::memory::dims;
  const Dims weight = p.weight_ours.dims();
  if (weight.size() != 4 || weight[2] != 3 || weight[3] != 3 || p.stride != Dims{1, 1} || p.dilation != Dims{0, 0} || !p.bias) return std::nullopt;
  const auto any = [](const dnnl::memory::desc& of) { return dnnl::memory::desc(of.dims(), of.data_type(), dnnl::memory::format_tag::any); };
  try {
    using Forward = dnnl::convolution_forward;
    const Forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_winograd, any(p.x), p.weight_any, *p.bias, any(p.y), p.stride,
                             p.dilation, p.padding_begin, p.padding_end);
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

double winograd_spared_flops(int tile, int64_t images, int64_t height, int64_t width, int64_t in, int64_t out) {
  const int64_t tiles = ((height + tile - 1) / tile) * ((width + tile - 1) / tile), products = (tile + 2) * (tile + 2);
  return 2.0 * static_cast<double>(images) * static_cast<double>(in) * static_cast<double>(out) * static_cast<double>(9 * height * width - tiles * products);
}

}  // namespace engine::cpu
