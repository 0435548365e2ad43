// SPDX-License-Identifier: Apache-2.0
// Shapes the kernels of attention, norms, recurrent layers and volumes are held against their references on.
#include <fmt/format.h>

#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

TensorType volume(Shape s) {
  const Strides t = contiguous_strides({s[0], s[2], s[3], s[4], s[1]});
  return {DType::float32, std::move(s), {t[0], t[4], t[1], t[2], t[3]}};
}
/// [B, heads, S, D] as split_heads makes it.
TensorType heads(Shape s) { return {DType::float32, s, {s[2] * s[1] * s[3], s[3], s[1] * s[3], 1}}; }

void add_attention_cases(std::vector<KernelCase>& cases) {
  const Attributes causal{{"causal", int64_t{1}}};
  cases.push_back({"attention_heads",
                   "attention",
                   {},
                   {{heads({2, 3, 70, 16})}, {heads({2, 3, 90, 16})}, {heads({2, 3, 90, 24})}},
                   "own"});
  cases.push_back({"attention_causal_shared",
                   "attention",
                   causal,
                   {{row_major({1, 4, 130, 8})}, {row_major({1, 2, 130, 8})}, {row_major({1, 2, 130, 8})}},
                   "own"});
  cases.push_back({"attention_one_query",
                   "attention",
                   causal,
                   {{row_major({2, 2, 1, 32})}, {row_major({2, 2, 1500, 32})}, {row_major({2, 2, 1500, 32})}},
                   "own"});
  cases.push_back({"attention_bias_f64",
                   "attention",
                   {},
                   {{row_major({1, 2, 20, 5}, DType::float64)},
                    {row_major({1, 2, 30, 5}, DType::float64)},
                    {row_major({1, 2, 30, 7}, DType::float64)},
                    {row_major({2, 1, 30}, DType::float64)}},
                   "own"});
  cases.push_back({"attention_grad_heads",
                   "attention_grad",
                   {},
                   {{heads({2, 3, 70, 24})},
                    {heads({2, 3, 70, 16})},
                    {heads({2, 3, 90, 16})},
                    {heads({2, 3, 90, 24})},
                    {heads({2, 3, 70, 24})},
                    {row_major({2, 3, 70}), Draw::positive}},
                   "own"});
  cases.push_back({"attention_grad_causal_f64",
                   "attention_grad",
                   causal,
                   {{row_major({1, 4, 66, 8}, DType::float64)},
                    {row_major({1, 4, 66, 8}, DType::float64)},
                    {row_major({1, 2, 66, 8}, DType::float64)},
                    {row_major({1, 2, 66, 8}, DType::float64)},
                    {row_major({1, 4, 66, 8}, DType::float64)},
                    {row_major({1, 4, 66}, DType::float64), Draw::positive}},
                   "own"});
}

void add_norm_cases(std::vector<KernelCase>& cases) {
  const Attributes last{{"axis", int64_t{-1}}}, two{{"axis", int64_t{1}}};
  for (const DType dtype : {DType::float32, DType::float64}) {
    const std::string suffix = dtype == DType::float32 ? "" : "_f64";
    const Operand x{row_major({300, 77}, dtype)}, row{row_major({77}, dtype)},
        statistic{row_major({300, 1}, dtype), Draw::positive};
    cases.push_back({"layer_norm_rows" + suffix, "layer_norm", last, {x, row, row}, "own"});
    cases.push_back({"layer_norm_grad_rows" + suffix,
                     "layer_norm_grad",
                     last,
                     {x, x, {row_major({300, 1}, dtype)}, statistic, row},
                     "own"});
    cases.push_back({"rms_norm_rows" + suffix, "rms_norm", last, {x, row}, "own"});
    cases.push_back({"rms_norm_grad_rows" + suffix, "rms_norm_grad", last, {x, x, statistic, row}, "own"});
  }
  cases.push_back({"layer_norm_two_axes", "layer_norm", two, {{row_major({40, 9, 31})}, {row_major({9, 31})}}, "own"});
}

void add_volume_pooling_cases(std::vector<KernelCase>& cases) {
  struct Case {
    std::string name;
    Shape x, y;
    Ints kernel, stride, padding, dilation;
  };
  const Case table[] = {
      {"plain", {2, 19, 6, 9, 8}, {2, 19, 3, 4, 4}, {2, 3, 2}, {2, 2, 2}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}},
      {"padded", {1, 33, 5, 7, 7}, {1, 33, 5, 4, 3}, {3, 3, 3}, {1, 2, 3}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}},
      {"dilated", {2, 5, 7, 8, 9}, {2, 5, 3, 4, 7}, {3, 3, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {2, 2, 2}}};
  for (const Case& c : table) {
    const TensorType x = volume(c.x), y = volume(c.y);
    for (const int64_t with_padding : {0, 1}) {
      Attributes attributes{{"kernel", c.kernel},
                            {"stride", c.stride},
                            {"padding", c.padding},
                            {"dilation", c.dilation},
                            {"count_include_pad", with_padding}};
      Attributes gradient = attributes;
      gradient.set("input_shape", Ints(x.shape.begin(), x.shape.end()));
      gradient.set("input_strides", Ints(x.strides.begin(), x.strides.end()));
      const std::string name = c.name + (with_padding != 0 ? "_with_padding" : "");
      cases.push_back({"max_pool3d_" + name, "max_pool3d", attributes, {{x}}, "own"});
      cases.push_back({"max_pool3d_grad_" + name,
                       "max_pool3d_grad",
                       gradient,
                       {{y}, {{DType::int32, y.shape, y.strides}, Draw::classes}},
                       "own"});
      if (c.name == "dilated") continue;  // an average has none
      cases.push_back({"average_pool3d_" + name, "average_pool3d", attributes, {{x}}, "own"});
      cases.push_back({"average_pool3d_grad_" + name, "average_pool3d_grad", gradient, {{y}}, "own"});
    }
  }
}

/// Averages of volumes whose axes lie in other orders, and along one of their axes alone.
void add_average_layout_cases(std::vector<KernelCase>& cases) {
  struct Case {
    std::string name;
    TensorType x;
    Ints kernel, stride, padding;
  };
  const Case table[] = {
      {"row_major", row_major({2, 3, 5, 6, 37}), {3, 2, 3}, {1, 2, 1}, {1, 0, 1, 1, 0, 1}},
      {"one_channel", row_major({1, 1, 20, 11, 13}), {5, 1, 1}, {1, 1, 1}, {2, 0, 0, 2, 0, 0}},
      {"one_channel_padded_unevenly", row_major({2, 1, 7, 4, 15}), {1, 1, 4}, {1, 1, 1}, {0, 0, 1, 0, 0, 2}},
      {"depth_innermost", strided({1, 1, 24, 5, 7}, {840, 840, 1, 168, 24}), {5, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}},
      {"depth_innermost_of_channels",
       strided({2, 3, 24, 5, 7}, {2520, 840, 1, 168, 24}),
       {5, 2, 3},
       {1, 1, 2},
       {2, 1, 1, 2, 1, 1}},
      {"long", row_major({1, 2, 1, 1, 5000}), {1, 1, 7}, {1, 1, 1}, {0, 0, 3, 0, 0, 3}},
      {"through_middle", row_major({2, 2, 6, 5, 12}), {3, 1, 3}, {2, 1, 1}, {1, 0, 1, 1, 0, 1}},
      {"short_rows", row_major({2, 3, 4, 4, 5}), {2, 2, 2}, {2, 2, 2}, {0, 0, 0, 0, 0, 0}}};
  for (const Case& c : table) {
    for (const int64_t with_padding : {0, 1}) {
      cases.push_back(
          {"average_pool3d_" + c.name + (with_padding != 0 ? "_with_padding" : ""),
           "average_pool3d",
           {{"kernel", c.kernel}, {"stride", c.stride}, {"padding", c.padding}, {"count_include_pad", with_padding}},
           {{c.x}},
           c.x.shape[1] == 1 && c.x == row_major(c.x.shape) ? "own" : ""});
    }
  }
}

void add_group_cases(std::vector<KernelCase>& cases) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Shape shape{3, 12, 7, 11};
    for (const int64_t groups : {1, 3, 12}) {
      for (const bool last : {false, true}) {
        const TensorType x = last ? TensorType::channels_last(dtype, shape) : row_major(shape, dtype),
                         c = row_major({12}, dtype), statistic = row_major({3, groups}, dtype);
        const Attributes attributes{{"groups", groups}, {"epsilon", 1e-5}};
        const std::string name = fmt::format("_{}{}_{}", groups, last ? "_nhwc" : "", engine::name(dtype));
        cases.push_back({"group_norm" + name, "group_norm", attributes, {{x}, {c}, {c}}, "own"});
        cases.push_back({"group_norm_without_bias" + name, "group_norm", attributes, {{x}, {c}}, "own"});
        cases.push_back({"group_norm_grad" + name,
                         "group_norm_grad",
                         attributes,
                         {{x}, {x}, {statistic}, {statistic, Draw::positive}, {c}},
                         "own"});
      }
    }
    // Signals and volumes with channels last, which several threads share where there is one sample.
    const std::string suffix = dtype == DType::float32 ? "_f32" : "_f64";
    for (const auto& [what, x] :
         {std::pair{"_signal", strided({2, 12, 30}, {360, 1, 12}, dtype)},
          std::pair{"_volume", strided({3, 12, 5, 4, 6}, {1440, 1, 288, 72, 12}, dtype)},
          std::pair{"_one_sample", strided({1, 12, 20, 30, 24}, {172800, 1, 8640, 288, 12}, dtype)},
          std::pair{"_one_image", TensorType::channels_last(dtype, {1, 12, 130, 127})}}) {
      const TensorType c = row_major({12}, dtype), statistic = row_major({x.shape[0], 3}, dtype);
      const Attributes attributes{{"groups", int64_t{3}}, {"epsilon", 1e-5}};
      cases.push_back({std::string("group_norm") + what + suffix, "group_norm", attributes, {{x}, {c}, {c}}, "own"});
      cases.push_back({std::string("group_norm_grad") + what + suffix,
                       "group_norm_grad",
                       attributes,
                       {{x}, {x}, {statistic}, {statistic, Draw::positive}, {c}},
                       "own"});
    }
  }
}

void add_response_cases(std::vector<KernelCase>& cases) {
  for (const int64_t size : {1, 4, 5, 40}) {
    for (const double beta : {0.75, 0.5}) {
      const Attributes attributes{{"size", size}, {"alpha", 0.3}, {"beta", beta}, {"bias", 2.0}};
      const std::string name = fmt::format("_{}_{}", size, beta == 0.75 ? "three_quarters" : "half");
      for (const auto& [layout, x] : {std::pair<std::string, TensorType>{"", row_major({2, 19, 9, 21})},
                                      {"_nhwc", TensorType::channels_last(DType::float32, {2, 19, 9, 21})}}) {
        cases.push_back({"local_response_norm" + name + layout, "local_response_norm", attributes, {{x}}, "own"});
        cases.push_back(
            {"local_response_norm_grad" + name + layout, "local_response_norm_grad", attributes, {{x}, {x}}, "own"});
      }
    }
  }
}

/// t, b: steps and batch; from eight of each on, the weights of the steps are packed.
void add_recurrent_cases(std::vector<KernelCase>& cases, int64_t t, int64_t b, const std::string& size) {
  const int64_t i = 20, n = 35;
  for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
    const int64_t d = direction == "bidirectional" ? 2 : 1;
    const Attributes attributes{{"direction", direction}};
    const Operand x{row_major({t, b, i})}, w{row_major({d, 4 * n, i})}, r{row_major({d, 4 * n, n})},
        state{row_major({d, b, n})}, y{row_major({t, b, d * n})};
    const TensorType none{DType::float32, {d, b, n}, {0, 0, 0}};  // as the building functions give zeros
    for (const Operand& first : {state, Operand{none}}) {
      const std::string name = size + direction + (first.type == none ? "_from_one_value" : "");
      cases.push_back({"lstm_" + name, "lstm", attributes, {x, w, r, {row_major({d, 4 * n})}, first, first}, "own"});
      cases.push_back({"lstm_grad_" + name,
                       "lstm_grad",
                       attributes,
                       {y,
                        state,
                        state,
                        x,
                        w,
                        r,
                        first,
                        first,
                        y,
                        {row_major({d, t, b, 4 * n}), Draw::positive},
                        {row_major({d, t, b, n})}},
                       "own"});
      const Operand w3{row_major({d, 3 * n, i})}, r3{row_major({d, 3 * n, n})}, w1{row_major({d, n, i})},
          r1{row_major({d, n, n})};
      cases.push_back({"gru_" + name, "gru", attributes, {x, w3, r3, {row_major({d, 4 * n})}, first}, "own"});
      cases.push_back({"gru_grad_" + name,
                       "gru_grad",
                       attributes,
                       {y, state, x, w3, r3, first, y, {row_major({d, t, b, 4 * n}), Draw::positive}},
                       "own"});
      Attributes reset_first = attributes;
      reset_first.set("linear_before_reset", int64_t{0});
      cases.push_back(
          {"gru_reset_first_" + name, "gru", reset_first, {x, w3, r3, {row_major({d, 3 * n})}, first}, "own"});
      cases.push_back({"gru_grad_reset_first_" + name,
                       "gru_grad",
                       reset_first,
                       {y, state, x, w3, r3, first, y, {row_major({d, t, b, 3 * n}), Draw::positive}},
                       "own"});
      for (const std::string activation : {"tanh", "relu"}) {
        const Attributes with{{"direction", direction}, {"activation", activation}};
        cases.push_back(
            {"rnn_" + activation + "_" + name, "rnn", with, {x, w1, r1, {row_major({d, n})}, first}, "own"});
        cases.push_back(
            {"rnn_grad_" + activation + "_" + name, "rnn_grad", with, {y, state, x, w1, r1, first, y}, "own"});
      }
    }
  }
}

}  // namespace

void add_neural_cases(std::vector<KernelCase>& cases) {
  add_attention_cases(cases);
  add_norm_cases(cases);
  add_volume_pooling_cases(cases);
  add_average_layout_cases(cases);
  add_group_cases(cases);
  add_response_cases(cases);
  add_recurrent_cases(cases, 6, 9, "");
  add_recurrent_cases(cases, 8, 10, "packed_");
  for (const DType dtype : {DType::float32, DType::float64}) {
    const std::string suffix = dtype == DType::float32 ? "" : "_f64";
    cases.push_back({"dropout_rows" + suffix,
                     "dropout",
                     {{"ratio", 0.3}, {"seed", int64_t{5}}},
                     {{row_major({300, 177}, dtype)}, {row_major({}, DType::int64), Draw::classes}},
                     "own"});
    const Attributes window{
        {"kernel", Ints{3, 2}}, {"stride", Ints{2, 1}}, {"padding", Ints{1, 2, 0, 1}}, {"dilation", Ints{1, 3}}};
    const TensorType image = TensorType::channels_last(dtype, {2, 13, 21, 30});
    Attributes back = window;
    back.set("input_shape", image.shape);
    back.set("input_strides", image.strides);
    cases.push_back({"im2col_channels_last" + suffix, "im2col", window, {{image}}, "own"});
    cases.push_back({"im2col_rows" + suffix, "im2col", window, {{row_major(image.shape, dtype)}}, "own"});
    cases.push_back({"col2im_channels_last" + suffix, "col2im", back, {{row_major({2, 78, 10 * 30}, dtype)}}, "own"});
  }
  const Attributes settings{{"stride", Ints{1, 2, 1}}, {"padding", Ints{1, 1, 1, 0, 1, 1}}};
  Attributes input = settings, weight = settings;
  const Shape x{2, 16, 5, 6, 7}, w{16, 16, 2, 3, 3}, y{2, 16, 5, 3, 7};
  input.set("input_shape", x);
  input.set("input_strides", volume(x).strides);
  weight.set("weight_shape", w);
  weight.set("weight_strides", contiguous_strides(w));
  cases.push_back({"conv3d_strided", "conv3d", settings, {{volume(x)}, {row_major(w)}, {row_major({16})}}, "oneDNN"});
  cases.push_back({"conv3d_grad_input_strided", "conv3d_grad_input", input, {{volume(y)}, {row_major(w)}}, "oneDNN"});
  cases.push_back({"conv3d_grad_weight_strided", "conv3d_grad_weight", weight, {{volume(y)}, {volume(x)}}, "oneDNN"});
}

}  // namespace engine
