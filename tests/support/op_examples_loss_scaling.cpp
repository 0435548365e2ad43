// SPDX-License-Identifier: Apache-2.0
// Examples of loss scaling.
#include "tests/support/op_example_words.h"

namespace test {

void add_loss_scaling(std::vector<OpExample>& table) {
  const auto scalar = [](DType dtype, double value) {
    return Operand{TensorType::contiguous(dtype, {}), {Fill::Kind::constant, value, 0}};
  };
  const Operand scale = scalar(DType::float32, 4), none = scalar(DType::float32, 0), found = scalar(DType::float32, 1);
  add(table, "found_nonfinite",
      {on("rows", {rows({3, 5}), none}), on("found before", {rows({3, 5}), found}), on("scalar", {rows({}), none}),
       on("strided", {strided({3, 4}, {-9, 2}), none}), on("without elements", {rows({0, 2}), none})});
  const Attributes plain{{"rate", 0.1}, {"weight_decay", 0.01}},
      momentum{{"rate", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.0}};
  add(table, "unscaled_sgd",
      {on("rows", {rows({3, 4}), rows({3, 4}), scale, none}, plain),
       on("skipped", {rows({3, 4}), rows({3, 4}), scale, found}, plain),
       on("layouts differ", {nhwc({2, 3, 2, 2}), rows({2, 3, 2, 2}), scale, none}, plain)});
  add(table, "unscaled_sgd_momentum",
      {on("rows", {rows({3, 4}), rows({3, 4}), rows({3, 4}), scale, none}, momentum),
       on("skipped", {rows({3, 4}), rows({3, 4}), rows({3, 4}), scale, found}, momentum),
       on("repeated gradient", {rows({3}), strided({3}, {0}), rows({3}), scale, none}, momentum)});
  Attributes nesterov = momentum;
  nesterov.set("nesterov", int64_t{1});
  add(table, "unscaled_sgd_momentum",
      {on("nesterov", {rows({3, 7}), rows({3, 7}), rows({3, 7}), scale, none}, nesterov)});
  const auto update = [](int64_t interval) {
    return Attributes{{"growth_factor", 2.0}, {"backoff_factor", 0.5}, {"growth_interval", interval}};
  };
  const auto count = [&](double value) { return scalar(DType::int32, value); };
  add(table, "loss_scale_update",
      {on("one more", {scale, count(3), none, count(0)}, update(10)),
       on("grows", {scale, count(9), none, count(1)}, update(10)),
       on("shrinks", {scale, count(9), found, count(1)}, update(10)),
       on("kept", {scale, count(0), found, count(1)}, update(0))});
}

}  // namespace test
