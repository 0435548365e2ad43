// SPDX-License-Identifier: Apache-2.0
// Examples of the ladder's product.
#include "engine/ops/ladder.h"
#include "tests/support/op_example_words.h"

namespace test {

void add_ladder(std::vector<OpExample>& table) {
  for (const engine::ops::LadderRung& rung : engine::ops::ladder_rungs()) {
    const Attributes layer{{"rung", std::string(rung.name)}, {"tile", int64_t{2}}, {"sigmoid", int64_t{1}}};
    add(table, "ladder_product", {on(std::string(rung.name) + ", one row", {rows({1, 5}), rows({5, 3})}, layer)});
  }
  const Attributes product{{"rung", std::string("tiled")}, {"tile", int64_t{2}}, {"sigmoid", int64_t{0}}};
  add(table, "ladder_product",
      {on("no multiple of the tile", {rows({3, 5}), rows({5, 7})}, product),
       on("b transposed", {rows({3, 5}), strided({5, 2}, {1, 5})}, product),
       on("empty sum", {rows({2, 0}), rows({0, 3})}, product), on("no rows", {rows({0, 4}), rows({4, 3})}, product)});
}

}  // namespace test
