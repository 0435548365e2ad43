// SPDX-License-Identifier: Apache-2.0
// Examples of attention and its gradient.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

struct AttentionCase {
  std::string label;
  Operand q, k, v;
  std::vector<Operand> mask;
  Attributes attributes;
};

Operand flags(Shape shape) { return integers(std::move(shape), DType::boolean, 2); }

std::vector<AttentionCase> attention_cases() {
  const Attributes plain, causal{{"causal", int64_t{1}}}, scaled{{"causal", int64_t{0}}, {"scale", 0.3}};
  const auto in_sequence = [](Shape s) {
    return strided(s, {s[2] * s[1] * s[3], s[3], s[1] * s[3], 1});
  };  // as split_heads makes
  return {{"self", rows({2, 2, 3, 4}), rows({2, 2, 3, 4}), rows({2, 2, 3, 4}), {}, plain},
          {"cross, other width of values", rows({1, 2, 3, 4}), rows({1, 2, 5, 4}), rows({1, 2, 5, 3}), {}, scaled},
          {"causal", rows({1, 2, 5, 4}), rows({1, 2, 5, 4}), rows({1, 2, 5, 4}), {}, causal},
          {"causal, past keys", rows({1, 1, 2, 4}), rows({1, 1, 6, 4}), rows({1, 1, 6, 4}), {}, causal},
          {"causal, more queries than keys", rows({1, 1, 4, 2}), rows({1, 1, 2, 2}), rows({1, 1, 2, 2}), {}, causal},
          {"one query", rows({2, 4, 1, 5}), rows({2, 4, 9, 5}), rows({2, 4, 9, 5}), {}, plain},
          {"shared heads of keys", rows({2, 4, 3, 2}), rows({2, 2, 5, 2}), rows({2, 2, 5, 2}), {}, causal},
          {"one head of keys, one query", rows({1, 6, 1, 8}), rows({1, 1, 40, 8}), rows({1, 1, 40, 8}), {}, plain},
          {"heads inside the sequence",
           in_sequence({2, 3, 4, 5}),
           in_sequence({2, 3, 4, 5}),
           in_sequence({2, 3, 4, 5}),
           {},
           plain},
          {"bias per head", rows({2, 2, 3, 4}), rows({2, 2, 4, 4}), rows({2, 2, 4, 4}), {rows({2, 3, 4})}, plain},
          {"bias per key", rows({2, 2, 3, 4}), rows({2, 2, 4, 4}), rows({2, 2, 4, 4}), {rows({2, 1, 1, 4})}, causal},
          {"keys left out", rows({2, 2, 3, 4}), rows({2, 2, 7, 4}), rows({2, 2, 7, 4}), {flags({2, 1, 3, 7})}, plain},
          {"backwards",
           strided({1, 2, 3, 4}, {24, 12, -4, -1}),
           strided({1, 2, 3, 4}, {24, 12, -4, 1}),
           rows({1, 2, 3, 4}),
           {},
           plain},
          {"repeated keys", rows({1, 2, 3, 4}), strided({1, 2, 3, 4}, {0, 0, 0, 1}), rows({1, 2, 3, 4}), {}, plain},
          {"longer than a block", rows({1, 1, 37, 3}), rows({1, 1, 70, 3}), rows({1, 1, 70, 5}), {}, causal},
          {"no queries", rows({2, 2, 0, 4}), rows({2, 2, 3, 4}), rows({2, 2, 3, 4}), {}, plain}};
}

}  // namespace

void add_attention(std::vector<OpExample>& table) {
  std::vector<OpExample> forward, gradient;
  for (const AttentionCase& c : attention_cases()) {
    std::vector<Operand> inputs{c.q, c.k, c.v};
    const Shape& q = c.q.type.shape;
    const Operand y = rows({q[0], q[1], q[2], c.v.type.shape[3]});
    // About the logarithm of the keys' number: weights stay near 1 / keys.
    const Operand log_sum = rows({q[0], q[1], q[2]}, {Fill::Kind::uniform, 3, 5});
    std::vector<Operand> backward{y, c.q, c.k, c.v, y, log_sum};
    Attributes attributes = c.attributes;
    if (!c.mask.empty()) {
      inputs.push_back(c.mask[0]);
      backward.push_back(c.mask[0]);
      if (c.mask[0].type.dtype == DType::float64) attributes.set("mask_gradient", int64_t{1});
    }
    forward.push_back(on(c.label, inputs, c.attributes));
    gradient.push_back(on(c.label, backward, attributes));
  }
  add(table, "attention", forward);
  add(table, "attention_grad", gradient);
}

}  // namespace test
