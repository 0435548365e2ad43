// SPDX-License-Identifier: Apache-2.0
// Examples of fused ops: chains and a diamond of elementwise ops on awkward shapes, and ops after a product and a
// normalisation.
#include "engine/ops/fused.h"
#include "engine/ops/ops.h"
#include "tests/support/op_example_words.h"

namespace test {
namespace {

using engine::FusedMember;
using engine::FusedProgram;

FusedMember member(const char* op, std::vector<int> operands, uint32_t value, Attributes attributes = {}) {
  return {.op = engine::find_op(op),
          .attributes = std::move(attributes),
          .operands = std::move(operands),
          .layer = "",
          .outputs = {value}};
}

/// relu(x * a + b)
Attributes chain() {
  FusedProgram program;
  program.members = {member("multiply", {0, 1}, 0), member("add", {~0, 2}, 1), member("relu", {~1}, 2)};
  program.results = {2};
  return engine::ops::fused_attributes(program);
}

/// s = sigmoid(x); y = tanh(x * s + 0.5 s)
Attributes diamond() {
  FusedProgram program;
  program.members = {member("sigmoid", {0}, 0), member("multiply", {0, ~0}, 1),
                     member("scaled_add", {~1, ~0}, 2, {{"factor", 0.5}}), member("tanh", {~2}, 3)};
  program.results = {3};
  return engine::ops::fused_attributes(program);
}

/// y = where(a > b, 2 a, b)
Attributes choice() {
  FusedProgram program;
  program.members = {member("greater", {0, 1}, 0), member("scale", {0}, 1, {{"factor", 2.0}}),
                     member("where", {~0, ~1, 1}, 2)};
  program.results = {2};
  return engine::ops::fused_attributes(program);
}

/// relu(linear(x, w, b) + r)
Attributes after_linear() {
  FusedProgram program;
  program.members = {member("linear", {0, 1, 2}, 0), member("add", {~0, 3}, 1), member("relu", {~1}, 2)};
  program.results = {2};
  return engine::ops::fused_attributes(program);
}

/// relu(batch_norm(x)), with the statistics beside it.
Attributes after_batch_norm() {
  FusedProgram program;
  program.members = {member("batch_norm_training", {0, 1, 2}, 0, {{"epsilon", 1e-5}}), member("relu", {~0}, 3)};
  program.members[0].outputs = {0, 1, 2};
  program.results = {3, 1, 2};
  return engine::ops::fused_attributes(program);
}

}  // namespace

void add_fused(std::vector<OpExample>& table) {
  add(table, "fused",
      {on("chain", {rows({7, 19}), rows({7, 19}), rows({7, 19})}, chain()),
       on("numbers", {rows({613}), rows({}), rows({})}, chain()), on("scalar", {rows({}), rows({}), rows({})}, chain()),
       on("without elements", {rows({3, 0}), rows({1, 1}), rows({})}, chain()),
       on("per channel", {nhwc({2, 5, 3, 4}), rows({5, 1, 1}), rows({5, 1, 1})}, chain()),
       on("rows and columns", {rows({6, 9}), rows({6, 1}), rows({9})}, chain()),
       on("every other, backwards, and repeated",
          {strided({4, 6}, {-14, 2}), strided({4, 6}, {0, 1}), strided({4, 6}, {1, 0})}, chain()),
       on("diamond", {rows({3, 401})}, diamond()), on("diamond with gaps", {strided({5, 7}, {20, 2})}, diamond()),
       on("choice", {rows({11, 13}), rows({13})}, choice()),
       on("after linear", {rows({4, 3}), rows({5, 3}), rows({5}), rows({4, 5})}, after_linear()),
       on("after linear without rows", {rows({0, 3}), rows({5, 3}), rows({5}), rows({0, 5})}, after_linear()),
       on("after batch norm", {nhwc({3, 4, 2, 5}), rows({4}), rows({4})}, after_batch_norm())});
}

}  // namespace test
