// SPDX-License-Identifier: Apache-2.0
// Examples of functions, activations, arithmetic, comparisons and logic.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

Operand uniform(Shape shape, double low, double high) {
  return rows(std::move(shape), {Fill::Kind::uniform, low, high});
}

Operand with_fill(Operand operand, Fill fill) {
  operand.fill = fill;
  return operand;
}

/// Lengths around whole vectors, layouts in gaps and backwards, all in [low, high].
std::vector<OpExample> unary(double low, double high, const Attributes& attributes = {}) {
  const Fill fill{Fill::Kind::uniform, low, high};
  return {on("rows", {rows({3, 37}, fill)}, attributes),
          on("scalar", {rows({}, fill)}, attributes),
          on("channels last", {with_fill(nhwc({2, 3, 4, 5}), fill)}, attributes),
          on("every other, backwards", {with_fill(strided({2, 3}, {12, -2}), fill)}, attributes),
          on("repeated", {with_fill(strided({3, 4}, {0, 1}), fill)}, attributes),
          on("without elements", {rows({2, 0}, fill)}, attributes)};
}

/// dy and x or y.
std::vector<OpExample> slope(double low, double high, const Attributes& attributes = {}) {
  const Fill fill{Fill::Kind::uniform, low, high};
  return {on("rows", {rows({3, 37}), rows({3, 37}, fill)}, attributes),
          on("layouts differ", {rows({2, 3, 4, 5}), with_fill(nhwc({2, 3, 4, 5}), fill)}, attributes),
          on("repeated gradient", {strided({3, 5}, {0, 0}), rows({3, 5}, fill)}, attributes),
          on("without elements", {rows({0}), rows({0}, fill)}, attributes)};
}

struct FunctionCase {
  const char* op;
  double low, high;
  bool has_slope_op = true;
  Attributes attributes = {};
};

void add_functions(std::vector<OpExample>& table) {
  const FunctionCase cases[] = {{"absolute", -2, 2},
                                {"negate", -2, 2, false},
                                {"exp", -3, 3, false},
                                {"log", 0.1, 3, false},
                                {"sqrt", 0.1, 3},
                                {"reciprocal", 0.3, 3},
                                {"sin", -7, 7},
                                {"cos", -7, 7},
                                {"tan", -1.2, 1.2},
                                {"asin", -0.9, 0.9},
                                {"acos", -0.9, 0.9},
                                {"atan", -4, 4},
                                {"sinh", -3, 3},
                                {"cosh", -3, 3},
                                {"asinh", -4, 4},
                                {"acosh", 1.2, 5},
                                {"atanh", -0.9, 0.9},
                                {"tanh", -3, 3},
                                {"erf", -3, 3},
                                {"floor", -4, 4, false},
                                {"ceil", -4, 4, false},
                                {"round", -4, 4, false},
                                {"sign", -2, 2, false},
                                {"gelu", -4, 4},
                                {"gelu", -4, 4, true, {{"approximate", std::string("tanh")}}},
                                {"silu", -5, 5},
                                {"elu", -3, 3},
                                {"elu", -3, 3, true, {{"alpha", 1.5}}},
                                {"selu", -3, 3},
                                {"celu", -3, 3, true, {{"alpha", 0.7}}},
                                {"leaky_relu", -3, 3},
                                {"leaky_relu", -3, 3, true, {{"alpha", 0.2}}},
                                {"hard_sigmoid", -4, 4},
                                {"hard_sigmoid", -4, 4, true, {{"alpha", 0.3}, {"beta", 0.4}}},
                                {"hard_swish", -5, 5},
                                {"softplus", -6, 6},
                                {"softsign", -4, 4},
                                {"mish", -5, 5},
                                {"thresholded_relu", -3, 3},
                                {"thresholded_relu", -3, 3, true, {{"alpha", 0.5}}},
                                {"shrink", -2, 2},
                                {"shrink", -2, 2, true, {{"bias", 0.25}, {"lambda", 1.0}}},
                                {"clip", -2, 2, true, {{"min", -0.5}, {"max", 1.0}}},
                                {"clip", -2, 2},
                                {"clip", -2, 2, true, {{"max", 0.25}}}};
  for (const FunctionCase& c : cases) {
    add(table, c.op, unary(c.low, c.high, c.attributes));
    // A slope found from y meets what y can be; all of these lie well within 0.05 and 0.95.
    const bool narrow = std::string(c.op) == "hard_sigmoid" || std::string(c.op) == "tanh";
    if (c.has_slope_op)
      add(table, c.op + std::string("_grad"), slope(narrow ? 0.05 : c.low, narrow ? 0.95 : c.high, c.attributes));
  }
  for (const char* op : {"absolute", "negate", "sign"}) {
    add(table, op,
        {on("i64", {integers({3, 7}, DType::int64, 50)}), on("i8", {integers({40}, DType::int8, 100)}),
         on("u8, backwards", {{{DType::uint8, {9}, {-2}}, {Fill::Kind::integers, 0, 256}}})});
  }
  add(table, "shrink", {on("i32", {integers({19}, DType::int32, 5)}, {{"bias", 1.0}, {"lambda", 2.0}})});
  add(table, "clip",
      {on("i32", {integers({19}, DType::int32, 50)}, {{"min", 10.0}, {"max", 40.0}}),
       on("u8", {integers({70}, DType::uint8, 256)}, {{"min", 17.0}})});
}

/// Two operands of one dtype; b stays in [low, high].
std::vector<OpExample> binary(double low, double high, const Attributes& attributes = {}) {
  const Fill fill{Fill::Kind::uniform, low, high};
  return {on("equal shapes", {uniform({2, 37}, 0.2, 3), rows({2, 37}, fill)}, attributes),
          on("scalars", {uniform({}, 0.2, 3), rows({}, fill)}, attributes),
          on("a row and a column", {uniform({3, 1}, 0.2, 3), rows({4}, fill)}, attributes),
          on("per channel", {with_fill(nhwc({2, 3, 4, 4}), kPositive), rows({3, 1, 1}, fill)}, attributes),
          on("one for all", {uniform({2, 37}, 0.2, 3), rows({}, fill)}, attributes),
          on("smaller first", {uniform({1, 3}, 0.2, 3), rows({2, 2, 3}, fill)}, attributes),
          on("transposed and reversed",
             {with_fill(strided({3, 4}, {1, 3}), kPositive), with_fill(strided({3, 4}, {-8, 2}), fill)}, attributes),
          on("without elements", {uniform({0, 3}, 0.2, 3), rows({1, 3}, fill)}, attributes)};
}

std::vector<OpExample> whole(DType dtype, double end, const Attributes& attributes = {}) {
  const std::string label(engine::name(dtype));
  return {on(label, {integers({3, 21}, dtype, end), integers({3, 21}, dtype, end)}, attributes),
          on(label + ", broadcast", {integers({3, 1}, dtype, end), integers({7}, dtype, end)}, attributes)};
}

void add_arithmetic(std::vector<OpExample>& table) {
  add(table, "divide", binary(0.5, 2));
  add(table, "power", binary(-2, 3));
  add(table, "minimum", binary(0.2, 3));
  add(table, "maximum", binary(0.2, 3));
  add(table, "modulo", binary(0.7, 1.9));
  add(table, "modulo", binary(-1.9, -0.7, {{"fmod", int64_t{1}}}));
  add(table, "prelu",
      {on("per channel", {nhwc({2, 3, 4, 4}), rows({3, 1, 1})}), on("one slope", {rows({3, 37}), rows({1})}),
       on("equal shapes", {rows({5}), rows({5})}), on("without elements", {rows({0, 3}), rows({3})})});
  for (const char* op : {"divide", "minimum", "maximum", "modulo", "add", "subtract", "multiply"}) {
    add(table, op, whole(DType::int64, 30));
    add(table, op, whole(DType::int32, 30));
    add(table, op, whole(DType::int8, 11));
    add(table, op, whole(DType::uint8, 16));
  }
  add(table, "power",
      {on("whole exponent", {uniform({3, 7}, 0.2, 2), integers({7}, DType::int64, 4)}),
       on("whole base", {integers({3, 7}, DType::int32, 5), integers({3, 7}, DType::int64, 4)}),
       on("whole base, fraction above", {integers({9}, DType::int32, 5), uniform({9}, 0.2, 2)})});
  for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"}) {
    add(table, op, whole(DType::int64, 1000));
    add(table, op, whole(DType::uint8, 256));
    add(table, op, whole(DType::boolean, 2));
  }
  add(table, "bitwise_not",
      {on("i64", {integers({3, 7}, DType::int64, 1000)}), on("u8", {integers({40}, DType::uint8, 256)}),
       on("bool", {integers({17}, DType::boolean, 2)})});
  for (const char* direction : {"left", "right"}) {
    add(table, "bit_shift", whole(DType::uint8, 10, {{"direction", std::string(direction)}}));
    add(table, "bit_shift", whole(DType::int64, 70, {{"direction", std::string(direction)}}));
  }
  for (const char* op : {"divide_grad_divisor", "power_grad_base", "power_grad_exponent", "maximum_grad",
                         "minimum_grad", "prelu_grad_input"}) {
    add(table, op,
        {on("equal shapes", {rows({3, 37}), uniform({3, 37}, 0.2, 3), uniform({3, 37}, 0.3, 2)}),
         on("broadcast", {nhwc({2, 3, 4, 4}), uniform({2, 3, 4, 4}, 0.2, 3), uniform({3, 1, 1}, 0.3, 2)}),
         on("repeated gradient", {strided({3, 5}, {0, 0}), uniform({3, 5}, 0.2, 3), uniform({}, 0.3, 2)}),
         on("without elements", {rows({0}), uniform({0}, 0.2, 3), uniform({0}, 0.3, 2)})});
  }
  add(table, "prelu_grad_slope",
      {on("rows", {rows({3, 37}), rows({3, 37})}), on("layouts differ", {rows({2, 3, 4, 5}), nhwc({2, 3, 4, 5})})});
}

void add_comparisons(std::vector<OpExample>& table) {
  for (const char* op : {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}) {
    add(table, op, binary(0.2, 3));
    for (const DType dtype : {DType::int64, DType::int32, DType::int8, DType::uint8}) add(table, op, whole(dtype, 4));
    add(table, op, whole(DType::boolean, 2));
  }
  for (const char* op : {"logical_and", "logical_or", "logical_xor"}) {
    add(table, op, whole(DType::boolean, 2));
    add(table, op,
        {on("reversed",
            {{{DType::boolean, {9}, {-1}}, {Fill::Kind::integers, 0, 2}}, integers({9}, DType::boolean, 2)}),
         on("without elements", {integers({0}, DType::boolean, 2), integers({1}, DType::boolean, 2)})});
  }
  add(table, "logical_not",
      {on("rows", {integers({3, 21}, DType::boolean, 2)}), on("scalar", {integers({}, DType::boolean, 2)})});
  add(table, "is_nan", unary(-2, 2));
  add(table, "is_inf", unary(-2, 2));
  add(table, "is_inf", unary(-2, 2, {{"detect_positive", int64_t{0}}}));
  const auto condition = [](Shape shape) { return integers(std::move(shape), DType::boolean, 2); };
  add(table, "where",
      {on("equal shapes", {condition({3, 37}), rows({3, 37}), rows({3, 37})}),
       on("scalars", {condition({}), rows({}), rows({})}),
       on("all broadcast", {condition({2, 1, 1}), rows({3, 1}), rows({4})}),
       on("one for all", {condition({2, 17}), rows({2, 17}), rows({})}),
       on("channels last", {condition({2, 1, 4, 4}), nhwc({2, 3, 4, 4}), rows({3, 1, 1})}),
       on("backwards", {condition({2, 3}), strided({2, 3}, {12, -2}), rows({2, 3})}),
       on("i64", {condition({19}), integers({19}, DType::int64, 90), integers({19}, DType::int64, 90)}),
       on("u8", {condition({70}), integers({70}, DType::uint8, 256), integers({}, DType::uint8, 256)}),
       on("without elements", {condition({1}), rows({0}), rows({0})})});
}

}  // namespace

void add_math(std::vector<OpExample>& table) {
  add_functions(table);
  add_arithmetic(table);
  add_comparisons(table);
}

}  // namespace test
