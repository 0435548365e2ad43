// SPDX-License-Identifier: Apache-2.0
// Examples of layer, root-mean-square, group and local response normalisation.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

void add_lines(std::vector<OpExample>& table) {
  const auto along = [](int64_t axis) { return Attributes{{"axis", axis}, {"epsilon", 1e-2}}; };
  add(table, "layer_norm",
      {on("rows", {rows({4, 7}), rows({7}), rows({7})}, along(-1)),
       on("no bias", {rows({2, 3, 5}), rows({5})}, along(2)),
       on("two axes", {rows({3, 2, 5}), rows({2, 5}), rows({2, 5})}, along(1)),
       on("all axes", {rows({3, 4}), rows({3, 4}), rows({3, 4})}, along(0)),
       on("longer than a vector", {rows({3, 67}), rows({67}), rows({67})}, along(-1)),
       on("channels last, over channels and planes", {nhwc({2, 3, 4, 5}), rows({3, 4, 5}), rows({3, 4, 5})}, along(1)),
       on("gaps between rows, one scale for all", {strided({3, 6}, {11, 1}), strided({6}, {0}), rows({6})}, along(1)),
       on("backwards", {strided({3, 6}, {-6, -1}), rows({6}), rows({6})}, along(1)),
       on("no rows", {rows({0, 5}), rows({5}), rows({5})}, along(1))});
  add(table, "layer_norm_grad",
      {on("rows", {rows({4, 7}), rows({4, 7}), rows({4, 1}), rows({4, 1}, kPositive), rows({7})}, along(-1)),
       on("longer than a vector", {rows({3, 67}), rows({3, 67}), rows({3, 1}), rows({3, 1}, kPositive), rows({67})},
          along(-1)),
       on("repeated gradient",
          {strided({3, 2, 5}, {0, 0, 0}), rows({3, 2, 5}), rows({3, 1, 1}), rows({3, 1, 1}, kPositive), rows({2, 5})},
          along(1)),
       on("layouts differ",
          {rows({2, 3, 4, 5}), nhwc({2, 3, 4, 5}), rows({2, 1, 1, 1}), rows({2, 1, 1, 1}, kPositive), rows({3, 4, 5})},
          along(1)),
       on("no rows", {rows({0, 5}), rows({0, 5}), rows({0, 1}), rows({0, 1}), rows({5})}, along(1))});
  add(table, "rms_norm",
      {on("rows", {rows({4, 7}), rows({7})}, along(-1)), on("two axes", {rows({3, 2, 5}), rows({2, 5})}, along(-2)),
       on("longer than a vector", {rows({2, 3, 67}), rows({67})}, along(-1)),
       on("backwards", {strided({3, 6}, {-6, -1}), rows({6})}, along(1)),
       on("no rows", {rows({0, 5}), rows({5})}, along(1))});
  add(table, "rms_norm_grad",
      {on("rows", {rows({4, 7}), rows({4, 7}), rows({4, 1}, kPositive), rows({7})}, along(-1)),
       on("longer than a vector", {rows({3, 67}), rows({3, 67}), rows({3, 1}, kPositive), rows({67})}, along(-1)),
       on("repeated gradient", {strided({4, 7}, {0, 0}), rows({4, 7}), rows({4, 1}, kPositive), rows({7})},
          along(-1))});
}

void add_groups(std::vector<OpExample>& table) {
  const auto in = [](int64_t groups) { return Attributes{{"groups", groups}, {"epsilon", 1e-2}}; };
  add(table, "group_norm",
      {on("two groups", {rows({2, 6, 3, 2}), rows({6}), rows({6})}, in(2)),
       on("channels last", {nhwc({2, 6, 3, 4}), rows({6}), rows({6})}, in(3)),
       on("one group, no bias", {rows({3, 4, 5}), rows({4})}, in(1)),
       on("each channel", {nhwc({2, 3, 4, 5}), rows({3}), rows({3})}, in(3)),
       on("rank 2", {rows({3, 6}), rows({6}), rows({6})}, in(2)),
       on("no images", {nhwc({0, 4, 2, 2}), rows({4}), rows({4})}, in(2))});
  add(table, "group_norm_grad",
      {on("two groups", {rows({2, 6, 3, 2}), rows({2, 6, 3, 2}), rows({2, 2}), rows({2, 2}, kPositive), rows({6})},
          in(2)),
       on("channels last", {nhwc({2, 6, 3, 4}), nhwc({2, 6, 3, 4}), rows({2, 3}), rows({2, 3}, kPositive), rows({6})},
          in(3)),
       on("repeated gradient",
          {strided({2, 4, 5}, {0, 0, 0}), rows({2, 4, 5}), rows({2, 4}), rows({2, 4}, kPositive), rows({4})}, in(4))});
}

}  // namespace

void add_norms(std::vector<OpExample>& table) {
  add_lines(table);
  add_groups(table);
  const Attributes five{{"size", int64_t{5}}, {"alpha", 0.5}, {"beta", 0.75}, {"bias", 1.5}};
  const Attributes two{{"size", int64_t{2}}, {"alpha", 0.3}, {"beta", 1.0}, {"bias", 1.0}};
  add(table, "local_response_norm",
      {on("5 channels of 7",
          {
              nhwc({2, 7, 3, 2}),
          },
          five),
       on("even window", {rows({2, 4, 3})}, two), on("fewer channels than the window", {rows({3, 2})}, five),
       on("no images", {rows({0, 4, 3})}, two)});
  add(table, "local_response_norm_grad",
      {on("5 channels of 7", {nhwc({2, 7, 3, 2}), nhwc({2, 7, 3, 2})}, five),
       on("even window, repeated gradient", {strided({2, 4, 3}, {0, 0, 0}), rows({2, 4, 3})}, two)});
}

}  // namespace test
