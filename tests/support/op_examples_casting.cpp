// SPDX-License-Identifier: Apache-2.0
// Examples of casts. Their target is f64, so that central differences see through them; all pairs of dtypes are walked
// by tests/engine/kernels/core/casting_test.cpp.
#include "tests/support/op_example_words.h"

namespace test {

void add_casting(std::vector<OpExample>& table) {
  const Attributes wide{{"dtype", std::string("f64")}};
  add(table, "cast",
      {on("rows", {rows({3, 5})}, wide), on("scalar", {rows({})}, wide),
       on("channels last", {nhwc({2, 3, 4, 5})}, wide), on("every other, backwards", {strided({2, 3}, {12, -2})}, wide),
       on("repeated", {strided({3, 4}, {0, 1})}, wide), on("without elements", {rows({2, 0})}, wide),
       on("from i32", {integers({3, 7}, DType::int32, 50)}, wide),
       on("from i64", {integers({19}, DType::int64, 50)}, wide),
       on("from u8", {integers({40}, DType::uint8, 256)}, wide),
       on("from bool", {integers({17}, DType::boolean, 2)}, wide)});
}

}  // namespace test
