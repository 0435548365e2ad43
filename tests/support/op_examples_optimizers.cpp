// SPDX-License-Identifier: Apache-2.0
// Examples of the optimisers and of gradient clipping.
#include "tests/support/op_example_words.h"

namespace test {

void add_optimizers(std::vector<OpExample>& table) {
  const Attributes plain{{"rate", 0.1}, {"weight_decay", 0.0}}, decay{{"rate", 0.1}, {"weight_decay", 0.01}};
  add(table, "sgd",
      {on("plain", {rows({3, 4}), rows({3, 4})}, plain),
       on("decay, layouts differ", {nhwc({2, 3, 2, 2}), rows({2, 3, 2, 2})}, decay),
       on("scalar", {rows({}), rows({})}, decay)});
  const Attributes momentum{{"rate", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.01}};
  add(table, "sgd_momentum",
      {on("rows", {rows({3, 4}), rows({3, 4}), rows({3, 4})}, momentum),
       on("layouts differ", {nhwc({2, 3, 2, 2}), rows({2, 3, 2, 2}), nhwc({2, 3, 2, 2})}, momentum),
       on("repeated gradient", {rows({3}), strided({3}, {0}), rows({3})}, momentum)});
  Attributes nesterov = momentum;
  nesterov.set("nesterov", int64_t{1});
  add(table, "sgd_momentum", {on("nesterov", {rows({3, 7}), rows({3, 7}), rows({3, 7})}, nesterov)});

  const Attributes adam{{"rate", 0.1}, {"beta1", 0.9}, {"beta2", 0.99}, {"epsilon", 1e-3}, {"weight_decay", 0.05}};
  const Attributes bare{{"rate", 0.1}, {"beta1", 0.5}, {"beta2", 0.9}, {"epsilon", 1e-2}};
  const Operand step{TensorType::contiguous(DType::int64, {}), {Fill::Kind::integers, 1, 9}};
  const Operand first{TensorType::contiguous(DType::int64, {}), {Fill::Kind::integers, 0, 1}};
  for (const char* op : {"adam", "adamw"}) {
    add(table, op,
        {on("rows", {rows({3, 7}), rows({3, 7}), rows({3, 7}), rows({3, 7}, kPositive), step}, adam),
         on("layouts differ",
            {nhwc({2, 3, 2, 2}), rows({2, 3, 2, 2}), nhwc({2, 3, 2, 2}), rows({2, 3, 2, 2}, kPositive), step}, adam),
         on("scalar, no decay, step 0 is taken as 1", {rows({}), rows({}), rows({}), rows({}, kPositive), first}, bare),
         on("without elements", {rows({0, 3}), rows({0, 3}), rows({0, 3}), rows({0, 3}), step}, adam)});
  }
  const auto scalar = [](double value) {
    return Operand{TensorType::contiguous(DType::float32, {}), {Fill::Kind::constant, value, 0}};
  };
  const Operand scale = scalar(4), none = scalar(0), found = scalar(1);
  for (const char* op : {"unscaled_adam", "unscaled_adamw"}) {
    add(table, op,
        {on("rows", {rows({3, 7}), rows({3, 7}), rows({3, 7}), rows({3, 7}, kPositive), step, scale, none}, adam),
         on("skipped", {rows({3, 7}), rows({3, 7}), rows({3, 7}), rows({3, 7}, kPositive), step, scale, found}, adam),
         on("layouts differ",
            {nhwc({2, 3, 2, 2}), rows({2, 3, 2, 2}), nhwc({2, 3, 2, 2}), rows({2, 3, 2, 2}, kPositive), step, scale,
             none},
            adam),
         on("without elements", {rows({0, 3}), rows({0, 3}), rows({0, 3}), rows({0, 3}), step, scale, none}, adam)});
  }
  add(table, "count_step_unless", {on("counts", {step, none}), on("does not count", {step, found})});
  add(table, "count_step", {on("from 0", {first}), on("later", {step})});
  add(table, "squared_norm",
      {on("rows", {rows({3, 7})}), on("channels last", {nhwc({2, 3, 2, 2})}), on("scalar", {rows({})}),
       on("every other, backwards", {strided({2, 3}, {12, -2})}), on("without elements", {rows({0})})});
  const auto at_most = [](double norm) { return Attributes{{"max_norm", norm}}; };
  add(table, "clip_by_norm",
      {on("clipped", {rows({3, 7}), rows({}, kPositive)}, at_most(0.25)),
       on("short enough", {rows({5}), rows({}, kPositive)}, at_most(2)),
       on("repeated gradient", {strided({3, 2}, {0, 0}), rows({}, kPositive)}, at_most(0.5)),
       on("without elements", {rows({0, 2}), rows({}, kPositive)}, at_most(1))});
}

}  // namespace test
