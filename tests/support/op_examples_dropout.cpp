// SPDX-License-Identifier: Apache-2.0
// Examples of dropout.
#include "tests/support/op_example_words.h"

namespace test {

void add_dropout(std::vector<OpExample>& table) {
  const Operand draw = integers({}, DType::int64, 9);
  const auto with = [](double ratio, int64_t seed) { return Attributes{{"ratio", ratio}, {"seed", seed}}; };
  add(table, "dropout",
      {on("rows", {rows({7, 9}), draw}, with(0.4, 1)), on("nothing dropped", {rows({3, 4}), draw}, with(0, 2)),
       on("channels last", {nhwc({2, 3, 4, 5}), draw}, with(0.25, -3)), on("scalar", {rows({}), draw}, with(0.1, 0)),
       on("every other, backwards", {strided({2, 3}, {12, -2}), draw}, with(0.5, 4)),
       on("longer than a vector", {rows({2, 67}), draw}, with(0.5, 5)),
       on("without elements", {rows({0, 3}), draw}, with(0.5, 6))});
}

}  // namespace test
