// SPDX-License-Identifier: Apache-2.0
// Examples of linear algebra. Random matrices are seldom positive definite: Cholesky's own tests make theirs.
#include "tests/support/op_example_words.h"

namespace test {

void add_linear_algebra(std::vector<OpExample>& table) {
  const Operand steep = strided({3, 3}, {1, 3}), apart = strided({2, 2, 2}, {40, -12, 3});
  add(table, "solve",
      {on("one right side", {rows({3, 3}), rows({3, 1})}), on("several, transposed", {steep, rows({3, 4})}),
       on("batched", {rows({2, 2, 2}), rows({2, 2, 3})}), on("sliced", {apart, strided({2, 2, 1}, {2, 1, 1})}),
       on("one number", {rows({1, 1}, kPositive), rows({1, 2})}), on("no right side", {rows({2, 2}), rows({2, 0})}),
       on("no rows", {rows({0, 0}), rows({0, 3})})});
  for (const char* op : {"inverse", "determinant"}) {
    add(table, op,
        {on("rows", {rows({3, 3})}), on("transposed", {steep}), on("batched", {rows({2, 2, 2})}), on("sliced", {apart}),
         on("one number", {rows({1, 1}, kPositive)}), on("no rows", {rows({2, 0, 0})})});
  }
  add(table, "cholesky",
      {on("one number", {rows({1, 1}, kPositive)}), on("batched", {rows({2, 3, 1, 1}, kPositive)}),
       on("no rows", {rows({0, 0})})});
  add(table, "eigh",
      {on("rows", {rows({4, 4})}), on("transposed", {steep}), on("batched", {rows({2, 3, 3})}), on("sliced", {apart}),
       on("one number", {rows({1, 1})}), on("no rows", {rows({0, 0})})});
  for (const char* op : {"svd", "qr"}) {
    add(table, op,
        {on("square", {rows({3, 3})}), on("tall", {rows({5, 2})}), on("wide", {rows({2, 4})}),
         on("transposed", {steep}), on("batched", {rows({2, 3, 2})}), on("sliced", {apart}),
         on("one column", {rows({4, 1})}), on("no columns", {rows({3, 0})})});
  }
}

}  // namespace test
