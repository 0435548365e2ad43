// SPDX-License-Identifier: Apache-2.0
// Examples of writing into a part of a tensor.
#include "tests/support/op_example_words.h"

namespace test {

void add_cache(std::vector<OpExample>& table) {
  const auto at = [](int64_t axis, int64_t start) { return Attributes{{"axis", axis}, {"start", start}}; };
  add(table, "write_slice",
      {on("one position in the middle", {rows({2, 3, 5, 4}), rows({2, 3, 1, 4})}, at(2, 3)),
       on("all", {rows({3, 4}), rows({3, 4})}, at(0, 0)),
       on("last axis, layouts differ", {nhwc({2, 3, 2, 5}), rows({2, 3, 2, 2})}, at(-1, 3)),
       on("update backwards", {rows({4, 3}), strided({2, 3}, {-3, -1})}, at(0, 1)),
       on("repeated update", {rows({4, 3}), strided({2, 3}, {0, 0})}, at(0, 2)),
       on("nothing", {rows({4, 3}), rows({0, 3})}, at(0, 4)),
       on("integers", {integers({5}, DType::int64, 9), integers({2}, DType::int64, 9)}, at(0, 2)),
       on("8 bits", {integers({5, 2}, DType::uint8, 200), integers({1, 2}, DType::uint8, 200)}, at(0, 4))});
}

}  // namespace test
