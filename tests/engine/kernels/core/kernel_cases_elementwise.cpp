// SPDX-License-Identifier: Apache-2.0
// Shapes and dtypes functions, arithmetic, comparisons and choices are held against their references on.
#include <fmt/format.h>

#include "engine/kernels/core/kernels.h"
#include "engine/ops/fused.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

Draw draw_for(std::string_view op) {
  if (op.starts_with("acosh")) return Draw::beyond_one;
  if (op.starts_with("asin") || op.starts_with("acos") || op.starts_with("atanh")) return Draw::inside;
  for (const std::string_view positive : {"log", "sqrt", "reciprocal", "divide", "power", "tan_grad"}) {
    if (op.starts_with(positive)) return Draw::positive;
  }
  return Draw::uniform;
}

/// As many operands of `type` as `op` takes, or none when it takes no such type.
std::vector<Operand> operands(const Op& op, const TensorType& type, Draw draw) {
  for (size_t count = 1; count <= 3; ++count) {
    const std::vector<TensorType> types(count, type);
    if (op.infer(types, {}).ok()) return std::vector<Operand>(count, Operand{type, draw});
  }
  return {};
}

/// Of ops that take whole numbers.
bool has_no_whole_loop(std::string_view op) { return op == "scale" || op == "scaled_add" || op == "relu_grad"; }

void add_where(std::vector<KernelCase>& cases) {
  for (const DType t : {DType::float64, DType::float32, DType::bfloat16, DType::int64, DType::uint8, DType::boolean}) {
    const Draw draw = is_floating(t) ? Draw::uniform : Draw::classes;
    const Operand a{row_major({70, 301}, t), draw}, b{row_major({301}, t), draw};
    cases.push_back({fmt::format("where_{}_rows", name(t)),
                     "where",
                     {},
                     {{row_major({70, 1}, DType::boolean), Draw::classes}, a, b},
                     "own"});
  }
}

FusedMember member(const char* op, std::vector<int> operands, uint32_t value) {
  return {.op = find_op(op), .attributes = {}, .operands = std::move(operands), .layer = "", .outputs = {value}};
}

/// relu(x * a + b) as one loop, and after a product in place.
void add_fused(std::vector<KernelCase>& cases) {
  FusedProgram chain, product;
  chain.members = {member("multiply", {0, 1}, 0), member("add", {~0, 2}, 1), member("relu", {~1}, 2)};
  chain.results = {2};
  product.members = {member("matmul", {0, 1}, 0), member("add", {~0, 2}, 1), member("sigmoid", {~1}, 2)};
  product.results = {2};
  for (const DType t : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
    const Operand x{row_major({70, 1301}, t)}, row{row_major({1301}, t)}, number{row_major({}, t)};
    cases.push_back({fmt::format("fused_chain_{}", name(t)),
                     "fused",
                     ops::fused_attributes(chain),
                     {x, number, row},
                     "own fused loop"});
    const Operand a{row_major({33, 20}, t)}, b{row_major({20, 47}, t)};
    cases.push_back({fmt::format("fused_product_{}", name(t)),
                     "fused",
                     ops::fused_attributes(product),
                     {a, b, Operand{row_major({47}, t)}},
                     ""});
  }
}

/// Exponents 0 to 4, a row each, are those that are multiplied out and one that is not.
void add_power(std::vector<KernelCase>& cases) {
  for (const DType t : {DType::float32, DType::float64, DType::float16}) {
    const std::string suffix = fmt::format("_{}", name(t)), by = size_bytes(t) == 2 ? "" : "own power";
    const Operand any{row_major({64, 331}, t)}, positive{row_major({64, 331}, t), Draw::positive};
    cases.push_back({"power_whole_exponents" + suffix, "power", {}, {any, {row_major({64, 1}, t), Draw::classes}}, by});
    cases.push_back({"power_of_each_other" + suffix, "power", {}, {positive, any}, by});
    cases.push_back({"power_one_exponent" + suffix,
                     "power",
                     {},
                     {{nhwc({2, 19, 30, 31}, t), Draw::positive}, {row_major({}, t)}},
                     by});
    cases.push_back({"power_one_base" + suffix, "power", {}, {{row_major({1, 1}, t), Draw::positive}, any}, by});
    cases.push_back({"power_gaps" + suffix,
                     "power",
                     {},
                     {{{t, {3, 7}, {40, -2}}, Draw::positive}, {row_major({7}, t), Draw::classes}},
                     by});
  }
}

/// Rows of a few elements against what repeats along them, across them, or has gaps; alone and as one loop.
void add_short_rows(std::vector<KernelCase>& cases) {
  FusedProgram chain, mixed;
  chain.members = {member("multiply", {0, 1}, 0), member("add", {~0, 2}, 1)};
  chain.results = {1};
  mixed.members = {member("greater", {0, 1}, 0), member("negate", {0}, 1), member("where", {~0, 2, ~1}, 2)};
  mixed.results = {2};
  for (const int64_t inner : {2, 3, 5, 7, 8, 16, 45, 100}) {
    for (const DType t : {DType::float64, DType::float32, DType::bfloat16, DType::int32}) {
      const std::string suffix = fmt::format("_{}_{}", inner, name(t));
      const Draw draw = is_floating(t) ? Draw::uniform : Draw::classes;
      const Operand whole{row_major({61, 43, inner}, t), draw}, per_row{row_major({61, 43, 1}, t), draw},
          across{row_major({61, 1, inner}, t), draw}, number{row_major({}, t), draw},
          gaps{strided({61, 43, inner}, {86 * inner, 2 * inner, 2}, t), draw},
          turned{strided({61, 43, inner}, {1, 61, 61 * 43}, t), draw};
      cases.push_back({"short_rows_across" + suffix, "subtract", {}, {whole, across}, "own"});
      cases.push_back({"short_rows_of_numbers" + suffix, "subtract", {}, {per_row, across}, "own"});
      cases.push_back({"short_rows_gaps" + suffix, "greater", {}, {gaps, number}, "own"});
      cases.push_back({"short_rows_turned" + suffix, "maximum", {}, {turned, per_row}, "own"});
      cases.push_back({"short_rows_where" + suffix,
                       "where",
                       {},
                       {{row_major({61, 43, 1}, DType::boolean), Draw::classes}, across, gaps},
                       "own"});
      cases.push_back(
          {"short_rows_concat" + suffix, "concat", {{"axis", int64_t{2}}}, {whole, per_row, gaps, turned}, "own"});
      if (!is_floating(t)) continue;
      cases.push_back({"short_rows_fused" + suffix,
                       "fused",
                       ops::fused_attributes(chain),
                       {whole, per_row, across},
                       "own fused loop"});
      cases.push_back({"short_rows_fused_gaps" + suffix,
                       "fused",
                       ops::fused_attributes(chain),
                       {gaps, across, turned},
                       "own fused loop"});
      cases.push_back({"short_rows_fused_choice" + suffix,
                       "fused",
                       ops::fused_attributes(mixed),
                       {whole, per_row, across},
                       "own fused loop"});
    }
  }
}

}  // namespace

void add_elementwise_cases(std::vector<KernelCase>& cases) {
  add_fused(cases);
  add_power(cases);
  add_short_rows(cases);
  add_where(cases);
  for (const Op* listed : op_catalog()) {
    const Op& op = *listed;
    if (!op.elementwise || op.name == "power") continue;  // which has cases of its own
    for (const DType t : all_dtypes()) {
      if (!is_floating(t) && has_no_whole_loop(op.name)) continue;
      const Draw draw = is_floating(t) ? draw_for(op.name) : Draw::classes;
      const std::vector<Operand> dense = operands(op, row_major({3, 211}, t), draw);
      if (dense.empty()) continue;
      const std::string case_name = fmt::format("{}_{}", op.name, name(t));
      const std::string by = "own";
      cases.push_back({case_name + "_dense", std::string(op.name), {}, dense, by});
      const std::vector<Operand> gaps = operands(op, {t, {3, 7}, {40, -2}}, draw);
      cases.push_back({case_name + "_gaps", std::string(op.name), {}, gaps, by});
    }
  }
}

}  // namespace engine
