// SPDX-License-Identifier: Apache-2.0
// Examples of the ops that exist for forward mode alone.
#include "tests/support/op_example_words.h"

namespace test {

void add_tangents(std::vector<OpExample>& table) {
  const Operand indices = integers({2, 3, 2, 2}, DType::int32, 20);
  add(table, "max_pool2d_tangent",
      {on("channels last", {nhwc({2, 3, 4, 5}), indices}), on("row-major", {rows({2, 3, 4, 5}), indices}),
       on("indices outside of the plane", {nhwc({2, 3, 2, 2}), indices}),
       on("without images", {nhwc({0, 3, 4, 5}), integers({0, 3, 2, 2}, DType::int32, 20)})});
}

}  // namespace test
