// SPDX-License-Identifier: Apache-2.0
// Examples of the ops that show a machine.
#include "tests/support/op_example_words.h"

namespace test {

void add_probes(std::vector<OpExample>& table) {
  const auto chain = [](int64_t rounds, int64_t chains) {
    return Attributes{{"rounds", rounds}, {"chains", chains}, {"factor", 0.9}, {"shift", -0.2}};
  };
  add(table, "multiply_add_chain",
      {on("rows", {rows({3, 5})}, chain(7, 1)), on("two in flight", {rows({67})}, chain(5, 2)),
       on("four in flight", {rows({131})}, chain(3, 4)), on("eight in flight", {rows({129})}, chain(4, 8)),
       on("five counts as four", {rows({40})}, chain(2, 5)), on("no rounds", {rows({4})}, chain(0, 1)),
       on("scalar", {rows({})}, chain(3, 1)), on("every other, backwards", {strided({2, 3}, {12, -2})}, chain(2, 1)),
       on("without elements", {rows({2, 0})}, chain(2, 1))});
  const auto accesses = [](int64_t count) { return Attributes{{"accesses", count}}; };
  add(table, "pointer_chase",
      {on("i64", {integers({64}, DType::int64, 64)}, accesses(5)),
       on("i32", {integers({300}, DType::int32, 300)}, accesses(9)),
       on("no access", {integers({8}, DType::int64, 8)}, accesses(0)),
       on("leaves", {{TensorType::contiguous(DType::int32, {4}), {Fill::Kind::constant, 9, 0}}}, accesses(3)),
       on("stays", {{TensorType::contiguous(DType::int64, {9}), {Fill::Kind::constant, 7, 0}}}, accesses(30)),
       on("every other, backwards", {{{DType::int64, {6}, {-2}}, {Fill::Kind::integers, 0, 6}}}, accesses(4))});
  const auto paths = [](int64_t rounds, int64_t count, int64_t masked = 0) {
    return Attributes{{"rounds", rounds}, {"paths", count}, {"masked", masked}};
  };
  add(table, "divergent_chain",
      {on("four paths", {rows({37}), integers({37}, DType::int32, 4)}, paths(5, 4)),
       on("under masks", {rows({131}), integers({131}, DType::int32, 64)}, paths(5, 64, 1)),
       on("under masks, more than there are", {rows({3, 7}), integers({3, 7}, DType::int32, 9)}, paths(2, 5, 1)),
       on("more than there are", {rows({3, 7}), integers({3, 7}, DType::int32, 9)}, paths(2, 5)),
       on("one path", {rows({8}), integers({8}, DType::int32, 1)}, paths(3, 1)),
       on("no rounds", {rows({5}), integers({5}, DType::int32, 64)}, paths(0, 64)),
       on("every other, backwards", {strided({2, 3}, {12, -2}), integers({2, 3}, DType::int32, 3)}, paths(4, 3)),
       on("without elements", {rows({0}), integers({0}, DType::int32, 2)}, paths(1, 2))});
  const auto by = [](const char* memory, int64_t overlap) {
    return Attributes{{"memory", std::string(memory)}, {"overlap", overlap}};
  };
  add(table, "round_trip",
      {on("pinned", {rows({5, 7})}, by("pinned", 0)), on("pageable", {rows({64})}, by("pageable", 0)),
       on("both ways at once", {rows({33})}, by("pinned", 1)), on("one element", {rows({1})}, by("pageable", 1)),
       on("without elements", {rows({2, 0})}, by("pinned", 0))});
}

}  // namespace test
