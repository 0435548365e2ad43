// SPDX-License-Identifier: Apache-2.0
// Examples of LSTM, GRU and the simple recurrent network, and of their gradients.
#include "tests/support/op_example_words.h"

namespace test {
namespace {

/// Extents of one example.
struct RecurrentCase {
  std::string label, direction;
  int64_t steps, batch, inputs, hidden;
};

std::vector<RecurrentCase> recurrent_cases() {
  return {{"forward", "forward", 4, 3, 5, 2},
          {"reverse", "reverse", 3, 2, 2, 3},
          {"both directions", "bidirectional", 3, 2, 4, 3},
          {"one step, one sample", "forward", 1, 1, 3, 2},
          {"wider than a vector", "forward", 2, 2, 3, 17},
          {"no samples", "forward", 2, 0, 3, 2},
          {"no steps", "bidirectional", 0, 2, 3, 2}};
}

/// The operands of one cell in the order of the op, and what its gradient op takes.
struct Cell {
  RecurrentCase c;
  int64_t gates, rows, directions;
  Fill small{Fill::Kind::normal, 0, 0.5};

  Cell(const RecurrentCase& given, int64_t n, int64_t bias_rows)
      : c(given), gates(n), rows(bias_rows), directions(given.direction == "bidirectional" ? 2 : 1) {}
  Operand x() const { return test::rows({c.steps, c.batch, c.inputs}); }
  Operand w() const { return test::rows({directions, gates * c.hidden, c.inputs}, small); }
  Operand r() const { return test::rows({directions, gates * c.hidden, c.hidden}, small); }
  Operand bias() const { return test::rows({directions, rows * c.hidden}, small); }
  Operand state() const { return test::rows({directions, c.batch, c.hidden}, small); }
  Operand y() const { return test::rows({c.steps, c.batch, directions * c.hidden}, small); }
  Operand kept_gates() const { return test::rows({directions, c.steps, c.batch, rows * c.hidden}, kUnit); }
  Operand cells() const { return test::rows({directions, c.steps, c.batch, c.hidden}, small); }
};

void add_lstm(std::vector<OpExample>& table) {
  std::vector<OpExample> forward, gradient;
  for (const RecurrentCase& c : recurrent_cases()) {
    const Cell n(c, 4, 4);
    const Attributes attributes{{"direction", c.direction}};
    forward.push_back(on(c.label, {n.x(), n.w(), n.r(), n.bias(), n.state(), n.state()}, attributes));
    gradient.push_back(
        on(c.label,
           {n.y(), n.state(), n.state(), n.x(), n.w(), n.r(), n.state(), n.state(), n.y(), n.kept_gates(), n.cells()},
           attributes));
  }
  const Cell n({"", "forward", 3, 2, 4, 2}, 4, 4);
  // Batch first in memory, transposed weights, one start for all samples.
  forward.push_back(on("inference, strided operands",
                       {strided({3, 2, 4}, {4, 12, 1}), strided({1, 8, 4}, {32, 1, 8}), n.r(), n.bias(),
                        strided({1, 2, 2}, {0, 0, 1}), n.state()},
                       {{"direction", std::string("forward")}, {"training", int64_t{0}}}));
  add(table, "lstm", forward);
  add(table, "lstm_grad", gradient);
}

void add_gru(std::vector<OpExample>& table) {
  std::vector<OpExample> forward, gradient;
  for (const int64_t before : {1, 0}) {
    for (const RecurrentCase& c : recurrent_cases()) {
      const Cell n(c, 3, before != 0 ? 4 : 3);
      const Attributes attributes{{"direction", c.direction}, {"linear_before_reset", before}};
      const std::string label = c.label + (before != 0 ? "" : ", reset first");
      forward.push_back(on(label, {n.x(), n.w(), n.r(), n.bias(), n.state()}, attributes));
      gradient.push_back(
          on(label, {n.y(), n.state(), n.x(), n.w(), n.r(), n.state(), n.y(), n.kept_gates()}, attributes));
    }
  }
  const Cell n({"", "reverse", 3, 2, 4, 2}, 3, 4);
  forward.push_back(on("inference, strided operands",
                       {strided({3, 2, 4}, {4, 12, 1}), n.w(), strided({1, 6, 2}, {12, 1, 6}), n.bias(), n.state()},
                       {{"direction", std::string("reverse")}, {"training", int64_t{0}}}));
  add(table, "gru", forward);
  add(table, "gru_grad", gradient);
}

void add_rnn(std::vector<OpExample>& table) {
  std::vector<OpExample> forward, gradient;
  for (const std::string activation : {"tanh", "relu"}) {
    for (const RecurrentCase& c : recurrent_cases()) {
      const Cell n(c, 1, 1);
      const Attributes attributes{{"direction", c.direction}, {"activation", activation}};
      forward.push_back(on(c.label + ", " + activation, {n.x(), n.w(), n.r(), n.bias(), n.state()}, attributes));
      gradient.push_back(
          on(c.label + ", " + activation, {n.y(), n.state(), n.x(), n.w(), n.r(), n.state(), n.y()}, attributes));
    }
  }
  add(table, "rnn", forward);
  add(table, "rnn_grad", gradient);
}

}  // namespace

void add_recurrent(std::vector<OpExample>& table) {
  add_lstm(table);
  add_gru(table);
  add_rnn(table);
}

}  // namespace test
