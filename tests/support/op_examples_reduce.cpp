// SPDX-License-Identifier: Apache-2.0
// Examples of reductions and of what is computed along one axis.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

Operand filled(Operand operand, Fill fill) {
  operand.fill = fill;
  return operand;
}

Attributes over(Ints axes, int64_t keep = 0) { return {{"axes", std::move(axes)}, {"keep_axes", keep}}; }

std::vector<OpExample> reductions(Fill fill) {
  return {on("all", {rows({3, 19}, fill)}, over({})),
          on("last axis", {rows({5, 37}, fill)}, over({-1})),
          on("first axis, kept", {rows({7, 19}, fill)}, over({0}, 1)),
          on("middle", {rows({3, 4, 5}, fill)}, over({1})),
          on("outer axes of channels last", {filled(nhwc({2, 3, 4, 5}), fill)}, over({0, 2, 3}, 1)),
          on("backwards and in gaps", {filled(strided({4, 3}, {-6, 2}), fill)}, over({1})),
          on("repeated", {filled(strided({3, 4}, {0, 1}), fill)}, over({0})),
          on("one element", {rows({}, fill)}, over({}, 1)),
          on("no results", {rows({0, 3}, fill)}, over({1}))};
}

void add_reductions_over_axes(std::vector<OpExample>& table) {
  for (const char* op : {"mean", "reduce_max", "reduce_min", "product", "l1_norm", "l2_norm", "sum_of_squares"}) {
    add(table, op, reductions(std::string(op) == "product" ? Fill{Fill::Kind::uniform, 0.7, 1.3} : kNormal));
    add(table, op,
        {on("i64", {integers({3, 7}, DType::int64, 9)}, over({1})),
         on("i32", {integers({5, 7}, DType::int32, 9)}, over({0})),
         on("i8", {integers({3, 2}, DType::int8, 6)}, over({1})),
         on("u8", {integers({4, 2}, DType::uint8, 6)}, over({-1}, 1))});
  }
  for (const char* op : {"reduce_max", "reduce_min"})
    add(table, op, {on("bool", {integers({3, 7}, DType::boolean, 2)}, over({1}))});
  for (const char* op : {"product", "l1_norm", "l2_norm", "sum_of_squares"}) {
    add(table, op, {on("of nothing", {rows({2, 0})}, over({1}))});
  }
  add(table, "log_sum", reductions(kPositive));
  add(table, "log_sum_exp", reductions(kNormal));
  add(table, "sum",
      {on("i64", {integers({3, 7}, DType::int64, 9)}, over({1})),
       on("u8", {integers({3, 7}, DType::uint8, 9)}, over({0}))});

  // y of the examples is not the true extremum, but some elements are: they are whole numbers.
  const Fill few{Fill::Kind::integers, 0, 3};
  add(table, "extremum_grad",
      {on("last axis", {rows({3, 1}), rows({3, 37}, few), rows({3, 1}, {Fill::Kind::integers, 2, 3})}, over({1})),
       on("channels last",
          {rows({1, 3, 1, 1}), filled(nhwc({2, 3, 4, 5}), few), rows({1, 3, 1, 1}, {Fill::Kind::integers, 1, 2})},
          over({0, 2, 3})),
       on("all", {rows({1, 1}), rows({3, 5}, few), rows({1, 1}, {Fill::Kind::ones})}, over({})),
       on("without elements", {rows({0, 1}), rows({0, 3}), rows({0, 1})}, over({1}))});
  add(table, "product_grad",
      {on("last axis", {rows({3, 1}), rows({3, 7})}, over({1})),
       on("two zeros and more", {rows({1, 1}), rows({3, 5}, few)}, over({})),
       on("channels last", {rows({1, 3, 1, 1}), nhwc({2, 3, 2, 2})}, over({0, 2, 3})),
       on("without elements", {rows({2, 1}), rows({2, 0})}, over({1}))});
  add(table, "log_sum_exp_grad",
      {on("last axis", {rows({3, 1}), rows({3, 37}), rows({3, 1}, kPositive)}),
       on("channels last", {rows({3, 1, 1}), nhwc({2, 3, 4, 5}), rows({3, 1, 1}, kPositive)}),
       on("without elements", {rows({0, 1}), rows({0, 3}), rows({0, 1})})});
}

std::vector<OpExample> lines(const Attributes& last, const Attributes& first) {
  return {on("last axis", {rows({5, 37})}, last),
          on("first axis", {rows({7, 19})}, first),
          on("channels last, over channels", {nhwc({2, 3, 4, 5})}, {{"axis", int64_t{1}}}),
          on("backwards and in gaps", {strided({4, 3}, {-6, 2})}, last),
          on("repeated", {strided({3, 4}, {0, 1})}, first),
          on("one element", {rows({1})}, last),
          on("no lines", {rows({0, 3})}, last)};
}

void add_lines(std::vector<OpExample>& table) {
  const Attributes last{{"axis", int64_t{-1}}}, first{{"axis", int64_t{0}}};
  for (const char* op : {"argmax", "argmin"}) {
    add(table, op, lines(last, {{"axis", int64_t{0}}, {"keep_axis", int64_t{1}}}));
    add(table, op,
        {on("i64, first of equals", {integers({4, 9}, DType::int64, 3)}, last),
         on("u8, last of equals", {integers({4, 9}, DType::uint8, 3)},
            {{"axis", int64_t{1}}, {"select_last_index", int64_t{1}}})});
  }
  for (const int64_t exclusive : {0, 1}) {
    for (const int64_t reverse : {0, 1}) {
      const auto along = [&](int64_t axis) {
        return Attributes{{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}};
      };
      add(table, "cumulative_sum", lines(along(-1), along(0)));
      add(table, "cumulative_sum",
          {on("i32", {integers({3, 7}, DType::int32, 9)}, along(1)),
           on("i64", {integers({3, 7}, DType::int64, 9)}, along(0))});
    }
  }
  add(table, "cumulative_sum", {on("of nothing", {rows({2, 0})}, last)});
  add(table, "log_softmax", lines(last, first));
  add(table, "log_softmax", {on("of nothing", {rows({2, 0})}, last)});
  add(table, "hardmax", lines(last, first));
  const Fill logarithms{Fill::Kind::uniform, -3, -0.1};
  add(table, "log_softmax_grad",
      {on("last axis", {rows({5, 37}), rows({5, 37}, logarithms)}, last),
       on("layouts differ", {rows({2, 3, 4, 5}), filled(nhwc({2, 3, 4, 5}), logarithms)}, {{"axis", int64_t{1}}}),
       on("repeated gradient", {strided({3, 5}, {0, 0}), rows({3, 5}, logarithms)}, last),
       on("without elements", {rows({0, 3}), rows({0, 3})}, last)});
}

}  // namespace

void add_reduce(std::vector<OpExample>& table) {
  add_reductions_over_axes(table);
  add_lines(table);
}

}  // namespace test
