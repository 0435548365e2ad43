// SPDX-License-Identifier: Apache-2.0
// Shapes the kernels of batch norm, reductions, softmax and losses are held against their references on.
#include <fmt/format.h>

#include <tuple>

#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

void add_normalization(std::vector<KernelCase>& cases) {
  for (const DType t : {f32, f64}) {
    const std::string suffix = t == f32 ? "_f32" : "_f64";
    const TensorType shapes[] = {nhwc({4, 64, 20, 20}, t), nhwc({3, 37, 5, 3}, t), row_major({50, 21}, t),
                                 nhwc({2, 1, 4, 4}, t), nhwc({1, 40, 1, 1}, t)};
    for (const TensorType& x : shapes) {
      const TensorType c = row_major({x.shape[1]}, t);
      const std::string name = fmt::format("{}_{}", suffix, to_string(x.shape));
      const Attributes epsilon{{"epsilon", 1e-5}};
      cases.push_back(
          {"batch_norm_training" + name, "batch_norm_training", epsilon, {{x, Draw::positive}, {c}, {c}}, "own"});
      cases.push_back(
          {"batch_norm_grad" + name, "batch_norm_grad", {}, {{x}, {x}, {c}, {c, Draw::positive}, {c}}, "own"});
      cases.push_back({"batch_norm_inference" + name,
                       "batch_norm_inference",
                       epsilon,
                       {{x}, {c}, {c}, {c}, {c, Draw::positive}},
                       "own"});
      const Attributes update{{"epsilon", 1e-5}, {"momentum", 0.1}, {"count", x.elements() / x.shape[1]}};
      cases.push_back({"batch_norm_running_update" + name,
                       "batch_norm_running_update",
                       update,
                       {{c}, {c, Draw::positive}, {c}, {c, Draw::positive}},
                       "own"});
    }
  }
  // Signals, and the gradient with given statistics, of signals and images.
  for (const DType t : {f32, f64}) {
    const std::string suffix = t == f32 ? "_f32" : "_f64", copied = "channels-last copies via workspace: own";
    const TensorType c = row_major({21}, t), lying = strided({4, 21, 30}, {630, 1, 21}, t);
    const Attributes epsilon{{"epsilon", 1e-3}};
    const std::tuple<const char*, TensorType, std::string> shapes[] = {
        {"_signal", row_major({4, 21, 30}, t), copied},
        {"_signal_channels_last", lying, "own"},
        {"_signal_transposed", strided({4, 21, 30}, {1, 4, 84}, t), copied},
        {"_signal_chunk", strided({4, 21, 30}, {1260, 30, 1}, t), copied},
        {"_rows", row_major({50, 21}, t), "own"},
        {"_image", nhwc({3, 21, 5, 4}, t), "own"}};
    for (const auto& [what, x, by] : shapes) {
      cases.push_back({"batch_norm_inference_grad" + suffix + what,
                       "batch_norm_inference_grad",
                       epsilon,
                       {{x}, {x}, {c}, {c}, {c, Draw::positive}},
                       by});
      if (x.rank() != 3) continue;
      cases.push_back({"batch_norm_training" + suffix + what, "batch_norm_training", epsilon, {{x}, {c}, {c}}, by});
      cases.push_back({"batch_norm_inference" + suffix + what,
                       "batch_norm_inference",
                       epsilon,
                       {{x}, {c}, {c}, {c}, {c, Draw::positive}},
                       by});
      cases.push_back(
          {"batch_norm_grad" + suffix + what, "batch_norm_grad", {}, {{x}, {x}, {c}, {c, Draw::positive}, {c}}, by});
    }
  }
  const TensorType nchw = row_major({2, 3, 4, 4}), c = row_major({3});
  cases.push_back({"batch_norm_training_row_major",
                   "batch_norm_training",
                   {{"epsilon", 1e-5}},
                   {{nchw}, {c}, {c}},
                   "channels-last copies via workspace: own"});
}

void add_lines(std::vector<KernelCase>& cases) {
  for (const DType t : {f32, f64}) {
    const std::string suffix = t == f32 ? "_f32" : "_f64";
    const auto sum = [&](const char* name, TensorType x, Ints axes, int64_t keep = 0, const char* kernel = "own") {
      cases.push_back({fmt::format("sum_{}{}", name, suffix),
                       "sum",
                       {{"axes", std::move(axes)}, {"keep_axes", keep}},
                       {{std::move(x)}},
                       kernel});
    };
    sum("all", row_major({300, 400}, t), {});
    sum("rows", row_major({70, 133}, t), {1});
    sum("columns", row_major({133, 70}, t), {0}, 1);
    sum("columns_large", row_major({5'000, 40}, t), {0});
    sum("middle", row_major({6, 50, 7}, t), {1});
    sum("outer_and_inner", row_major({6, 50, 7}, t), {0, 2});
    sum("channel", nhwc({4, 30, 9, 9}, t), {0, 2, 3});
    sum("over_channels", nhwc({4, 30, 9, 9}, t), {1});
    for (const char* op : {"mean", "log_sum", "l1_norm", "l2_norm", "sum_of_squares", "reduce_max", "reduce_min",
                           "product", "log_sum_exp"}) {
      const Draw draw = std::string_view(op) == "log_sum" ? Draw::positive : Draw::uniform;
      const auto reduce = [&](const char* name, TensorType x, Ints axes) {
        cases.push_back(
            {fmt::format("{}_{}{}", op, name, suffix), op, {{"axes", std::move(axes)}}, {{std::move(x), draw}}, "own"});
      };
      reduce("all", row_major({30, 40}, t), {});
      reduce("rows", row_major({70, 133}, t), {1});
      reduce("columns", row_major({133, 70}, t), {0});
      reduce("long_rows", row_major({2, 70'000}, t), {1});
      reduce("middle", row_major({6, 50, 7}, t), {1});
      reduce("channel", nhwc({4, 30, 9, 9}, t), {0, 2, 3});
    }
    for (const int64_t axis : {0, 1, 2}) {
      const Operand x{row_major({6, 50, 70}, t)};
      const std::string name = fmt::format("_axis_{}{}", axis, suffix);
      const Attributes along{{"axis", axis}},
          other{{"axis", axis}, {"exclusive", int64_t{1}}, {"reverse", int64_t{1}}, {"select_last_index", int64_t{1}}};
      cases.push_back({"cumulative_sum" + name, "cumulative_sum", along, {x}, "own"});
      cases.push_back({"cumulative_sum_exclusive_reverse" + name, "cumulative_sum", other, {x}, "own"});
      cases.push_back({"hardmax" + name, "hardmax", along, {x}, "own"});
      for (const char* op : {"argmax", "argmin"}) {
        cases.push_back({op + name, op, along, {x}, "own"});
        cases.push_back({fmt::format("{}_last{}", op, name), op, other, {{row_major({6, 50, 70}, t)}}, "own"});
      }
    }
    for (const int64_t axis : {-1, 1, 0}) {
      const std::string name = fmt::format("_axis_{}{}", axis < 0 ? "last" : std::to_string(axis), suffix);
      cases.push_back(
          {"hardmax_channels_last" + name, "hardmax", {{"axis", axis}}, {{nhwc({4, 30, 9, 70}, t)}}, "own"});
      cases.push_back(
          {"hardmax_of_columns" + name, "hardmax", {{"axis", axis}}, {{strided({37, 1100}, {1, 37}, t)}}, "own"});
    }
    sum("scalar", row_major({}, t), {});
    sum("expanded", strided({5, 6}, {0, 0}, t), {0, 1}, 0, "row-major copies via workspace: own");
    for (const Shape& shape : {Shape{7, 1000}, Shape{64, 10}, Shape{1, 3}, Shape{50, 1}}) {
      const std::string name = fmt::format("{}_{}", suffix, to_string(shape));
      const TensorType x = row_major(shape, t), labels = row_major({shape[0]}, DType::int64), loss = row_major({}, t);
      cases.push_back({"softmax" + name, "softmax", {{"axis", int64_t{1}}}, {{x}}, "own"});
      cases.push_back({"log_softmax" + name, "log_softmax", {{"axis", int64_t{1}}}, {{x}}, "own"});
      cases.push_back({"log_softmax_grad" + name, "log_softmax_grad", {{"axis", int64_t{1}}}, {{x}, {x}}, "own"});
      cases.push_back(
          {"softmax_grad" + name, "softmax_grad", {{"axis", int64_t{-1}}}, {{x}, {x, Draw::positive}}, "own"});
      if (shape[1] >= 5) {
        cases.push_back(
            {"softmax_cross_entropy" + name, "softmax_cross_entropy", {}, {{x}, {labels, Draw::classes}}, "own"});
        cases.push_back({"softmax_cross_entropy_grad" + name,
                         "softmax_cross_entropy_grad",
                         {},
                         {{loss}, {x, Draw::positive}, {labels, Draw::classes}},
                         "own"});
      }
    }
    cases.push_back(
        {"softmax_channels" + suffix, "softmax", {{"axis", int64_t{1}}}, {{nhwc({2, 21, 5, 4}, t)}}, "own"});
    const TensorType rows = row_major({300, 77}, t), middle = row_major({3, 45, 130}, t);
    cases.push_back({"softmax_over_rows" + suffix, "softmax", {{"axis", int64_t{0}}}, {{rows}}, "own"});
    cases.push_back({"softmax_grad_over_rows" + suffix,
                     "softmax_grad",
                     {{"axis", int64_t{0}}},
                     {{rows}, {rows, Draw::positive}},
                     "own"});
    cases.push_back({"log_softmax_middle" + suffix, "log_softmax", {{"axis", int64_t{1}}}, {{middle}}, "own"});
    cases.push_back(
        {"log_softmax_grad_middle" + suffix, "log_softmax_grad", {{"axis", int64_t{1}}}, {{middle}, {middle}}, "own"});
    cases.push_back({"softmax_grad_mixed_layouts" + suffix,
                     "softmax_grad",
                     {{"axis", int64_t{1}}},
                     {{nhwc({2, 21, 5, 4}, t)}, {row_major({2, 21, 5, 4}, t)}},
                     "own"});
  }
}

}  // namespace

void add_line_cases(std::vector<KernelCase>& cases) {
  add_normalization(cases);
  add_lines(cases);
}

}  // namespace engine
