// SPDX-License-Identifier: Apache-2.0
// oneDNN, called directly: a peer of the comparison. Weights are packed once; images are channels last.
#include <fmt/format.h>
#include <omp.h>

#include <charconv>
#include <iostream>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "tests/benchmarks/serve.h"

namespace {

using benchmarks::CaseText;
using benchmarks::Timed;
using dnnl::memory;
using Tag = memory::format_tag;

struct Device {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

memory::desc f32(memory::dims dims, Tag tag) { return {std::move(dims), memory::data_type::f32, tag}; }

/// Memory with numbers in it (not zeros: pages must be there).
memory filled(const Device& device, const memory::desc& desc) {
  memory result(desc, device.engine);
  if (desc.data_type() == memory::data_type::bf16) {
    auto* halves = static_cast<uint16_t*>(result.get_data_handle());
    for (size_t i = 0; i < desc.get_size() / sizeof(uint16_t); ++i)
      halves[i] = static_cast<uint16_t>(0x3e00 + i % 17 * 8);  // 0.125 to 0.1875
    return result;
  }
  auto* data = static_cast<float*>(result.get_data_handle());
  for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i) data[i] = static_cast<float>(i % 17) / 17 - 0.4f;
  return result;
}

/// Runs `primitive` with memory for each (argument, descriptor).
Timed timed(const Device& device, const dnnl::primitive& primitive, const std::string& implementation,
            const std::vector<std::pair<int, memory::desc>>& arguments) {
  const auto bound = std::make_shared<std::unordered_map<int, memory>>();
  for (const auto& [index, desc] : arguments) bound->emplace(index, filled(device, desc));
  return benchmarks::repeated(
      [bound, primitive, stream = device.stream]() mutable {
        primitive.execute(stream, *bound);
        stream.wait();
      },
      "oneDNN " + implementation);
}

Timed matmul(const Device& device, int64_t m, int64_t n, int64_t k, Tag b_tag,
             memory::data_type type = memory::data_type::f32) {
  const memory::desc a({m, k}, type, Tag::ab), b({k, n}, type, b_tag), c({m, n}, type, Tag::ab);
  const dnnl::matmul::primitive_desc desc({a, b, c}, device.engine);
  return timed(
      device, dnnl::matmul(desc), desc.impl_info_str(),
      {{DNNL_ARG_SRC, desc.src_desc()}, {DNNL_ARG_WEIGHTS, desc.weights_desc()}, {DNNL_ARG_DST, desc.dst_desc()}});
}

Timed conv(const Device& device, CaseText& text) {
  const int64_t batch = text.count("batch"), channels = text.count("channels"), out = text.count("out"),
                kernel = text.count("kernel");
  const int64_t stride = text.count("stride"), side = text.count("image"), padding = kernel / 2;
  const std::string pass = text.choice("pass", "forward data weights");
  const int64_t out_side = (side + 2 * padding - kernel) / stride + 1;
  const auto x = f32({batch, channels, side, side}, Tag::nhwc), w = f32({out, channels, kernel, kernel}, Tag::any);
  const auto y = f32({batch, out, out_side, out_side}, Tag::nhwc);
  const memory::dims strides{stride, stride}, pad{padding, padding};
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const auto kind = pass == "forward" ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
  const dnnl::convolution_forward::primitive_desc forward({kind, kDirect, x, w, y, strides, pad, pad}, device.engine);
  if (pass == "forward") {
    return timed(device, dnnl::convolution_forward(forward), forward.impl_info_str(),
                 {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, forward.weights_desc()}, {DNNL_ARG_DST, y}});
  }
  if (pass == "data") {
    const dnnl::convolution_backward_data::primitive_desc desc({kDirect, x, w, y, strides, pad, pad}, device.engine,
                                                               forward);
    return timed(device, dnnl::convolution_backward_data(desc), desc.impl_info_str(),
                 {{DNNL_ARG_DIFF_DST, y}, {DNNL_ARG_WEIGHTS, desc.weights_desc()}, {DNNL_ARG_DIFF_SRC, x}});
  }
  const dnnl::convolution_backward_weights::primitive_desc desc({kDirect, x, w, y, strides, pad, pad}, device.engine,
                                                                forward);
  return timed(device, dnnl::convolution_backward_weights(desc), desc.impl_info_str(),
               {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, y}, {DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc()}});
}

Timed elementwise(const Device& device, CaseText& text) {
  const int64_t floats = std::max<int64_t>(1, text.count("bytes") / 4);
  const std::string op = text.choice("op", "relu add sigmoid");
  const auto x = f32({floats}, Tag::a);
  if (op == "add") {
    const dnnl::binary::primitive_desc desc({dnnl::algorithm::binary_add, x, x, x}, device.engine);
    return timed(device, dnnl::binary(desc), desc.impl_info_str(),
                 {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, x}, {DNNL_ARG_DST, x}});
  }
  const auto algorithm = op == "relu" ? dnnl::algorithm::eltwise_relu : dnnl::algorithm::eltwise_logistic;
  const dnnl::eltwise_forward::primitive_desc desc({dnnl::prop_kind::forward_inference, algorithm, x, 0.0f, 0.0f},
                                                   device.engine);
  return timed(device, dnnl::eltwise_forward(desc), desc.impl_info_str(), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}});
}

Timed softmax(const Device& device, CaseText& text) {
  const auto x = f32({text.count("rows"), text.count("columns")}, Tag::ab);
  const dnnl::softmax_forward::primitive_desc desc({dnnl::prop_kind::forward_inference, x, 1}, device.engine);
  return timed(device, dnnl::softmax_forward(desc), desc.impl_info_str(), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}});
}

Timed layer_norm(const Device& device, CaseText& text) {
  const int64_t rows = text.count("rows"), columns = text.count("columns");
  const auto x = f32({rows, columns}, Tag::ab), vector = f32({columns}, Tag::a), statistics = f32({rows}, Tag::a);
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const dnnl::layer_normalization_forward::primitive_desc desc(
      {dnnl::prop_kind::forward_training, x, statistics, 1e-5f, flags}, device.engine);
  return timed(device, dnnl::layer_normalization_forward(desc), desc.impl_info_str(),
               {{DNNL_ARG_SRC, x},
                {DNNL_ARG_DST, x},
                {DNNL_ARG_SCALE, vector},
                {DNNL_ARG_SHIFT, vector},
                {DNNL_ARG_MEAN, statistics},
                {DNNL_ARG_VARIANCE, statistics}});
}

Timed lstm(const Device& device, CaseText& text) {
  const int64_t steps = text.count("steps"), batch = text.count("batch"), inputs = text.count("inputs"),
                hidden = text.count("hidden");
  const auto x = f32({steps, batch, inputs}, Tag::tnc), y = f32({steps, batch, hidden}, Tag::tnc);
  const auto w = f32({1, 1, inputs, 4, hidden}, Tag::any), r = f32({1, 1, hidden, 4, hidden}, Tag::any);
  const auto bias = f32({1, 1, 4, hidden}, Tag::ldgo);
  const memory::desc none;
  const dnnl::lstm_forward::primitive_desc desc(
      {dnnl::prop_kind::forward_inference, dnnl::rnn_direction::unidirectional_left2right, x, none, none, w, r, bias, y,
       none, none},
      device.engine);
  return timed(device, dnnl::lstm_forward(desc), desc.impl_info_str(),
               {{DNNL_ARG_SRC_LAYER, x},
                {DNNL_ARG_WEIGHTS_LAYER, desc.weights_layer_desc()},
                {DNNL_ARG_WEIGHTS_ITER, desc.weights_iter_desc()},
                {DNNL_ARG_BIAS, bias},
                {DNNL_ARG_DST_LAYER, y}});
}

/// Settings are read first and checked by the caller's last look at `text`: a primitive of a mistaken case is small.
Timed build(const Device& device, CaseText& text) {
  const std::string& name = text.name();
  if (name == "gemm") {
    const int64_t m = text.count("m"), n = text.count("n"), k = text.count("k");
    text.choice("rung", "plan own");
    const bool half = text.choice("dtype", "f32 bf16") == "bf16";
    return matmul(device, m, n, k, Tag::ab, half ? memory::data_type::bf16 : memory::data_type::f32);
  }
  if (name == "linear") {
    const int64_t batch = text.count("batch"), in = text.count("in"), out = text.count("out");
    return matmul(device, batch, out, in, Tag::any);
  }
  if (name == "conv") return conv(device, text);
  if (name == "elementwise") return elementwise(device, text);
  if (name == "softmax") return softmax(device, text);
  if (name == "layer_norm") return layer_norm(device, text);
  if (name == "lstm") return lstm(device, text);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0;
  const std::string_view number = argc == 3 && std::string_view(argv[1]) == "--threads" ? argv[2] : "";
  if (std::from_chars(number.data(), number.data() + number.size(), threads).ec != std::errc() || threads < 1) {
    fmt::print(stderr, "usage: {} --threads N\n", argv[0]);
    return 2;
  }
  omp_set_num_threads(threads);
  const Device device;
  const auto make_case = [&device](CaseText& text) -> engine::Result<Timed> {
    try {
      Timed result = build(device, text);
      if (!result.ns_per_run) return engine::usage_error("no case named " + text.name());
      if (auto checked = text.check(); !checked) return checked.error();
      return result;
    } catch (const dnnl::error& error) {
      return engine::refused_error(std::string("oneDNN: ") + error.what());
    }
  };
  const dnnl_version_t* version = dnnl_version();
  benchmarks::serve(std::cin, std::cout,
                    fmt::format("oneDNN {}.{}.{}, {} threads", version->major, version->minor, version->patch, threads),
                    make_case);
  return 0;
}
