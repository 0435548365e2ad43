// SPDX-License-Identifier: Apache-2.0
// Recurrent layers (lstm, gru, rnn) and their gradients: which product and which pass over a step's gates comes after
// which, and where they are kept. Computed by recurrent-inl.h, described by recurrent_access.cpp.
#pragma once

#include <array>
#include <span>

#include "engine/kernels/core/visitor_loops.h"
#include "engine/kernels/gemm/inner_product_loops.h"

namespace engine::loops {

enum class CellKind { lstm, gru, rnn };

/// Columns of a sample's gates that a block of rows of r makes from a state.
struct GateGroup {
  int64_t column = 0, row = 0, count = 0;
  bool adds = true;  ///< to W x; else these columns are R h alone
};
/// One, or for gru two: z and r, and what the candidate takes.
struct GateGroups {
  std::array<GateGroup, 2> group;
  int count = 1;
};

struct RecurrentShape {
  CellKind kind = CellKind::lstm;
  int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1;
  bool reverse = false;
  bool linear_before_reset = true;  ///< gru: the reset gate behind the product with h
  bool keeps = false;               ///< forward: gates (and cells) are results, for the gradient
  bool inputs_by_step = false;  ///< forward: W x of one step at a time, with packed weights; else of all as one product
  bool gathers = false;         ///< states before the first step do not lie in one piece

  /// Rows of w and r, and the first columns of the gates.
  constexpr int64_t products() const { return (kind == CellKind::lstm ? 4 : kind == CellKind::gru ? 3 : 1) * hidden; }
  /// Of a sample's gates, and of the bias.
  constexpr int64_t columns() const { return kind == CellKind::gru && linear_before_reset ? 4 * hidden : products(); }
  constexpr int64_t samples() const { return steps * batch; }
  constexpr int64_t state() const { return batch * hidden; }
  constexpr int64_t width() const { return directions * hidden; }  ///< of a row of y
  constexpr int64_t work() const { return state() * 16; }          ///< of one step's cells, beside the products
  constexpr bool backwards(int64_t d) const { return d == 1 || reverse; }
  /// The time step that direction d takes as its `step`-th.
  constexpr int64_t time(int64_t d, int64_t step) const { return backwards(d) ? steps - 1 - step : step; }
  /// The reset gate works on h, in front of the product: the cell needs that product in its middle.
  constexpr bool resets_first() const { return kind == CellKind::gru && !linear_before_reset; }
  constexpr GateGroups groups() const {
    if (kind != CellKind::gru) return {{{{0, 0, products(), true}, {}}}, 1};
    return {{{{0, 0, 2 * hidden, true},
              resets_first() ? GateGroup{2 * hidden, 2 * hidden, hidden, true}
                             : GateGroup{3 * hidden, 2 * hidden, hidden, false}}},
            2};
  }
  /// Whether a group's product is with r h, which lies by itself, and not with h.
  constexpr bool is_reset(int group) const { return resets_first() && group == 1; }
};

/// Of x [T, B, I] and r [D, gates * H, H].
inline RecurrentShape recurrent_shape(CellKind kind, std::span<const int64_t> x, std::span<const int64_t> r,
                                      bool reverse, bool linear_before_reset) {
  return {.kind = kind,
          .steps = x[0],
          .batch = x[1],
          .inputs = x[2],
          .hidden = r[2],
          .directions = r[0],
          .reverse = reverse,
          .linear_before_reset = linear_before_reset};
}

/// Backwards: whether a group's product goes onto what the gates' pass left of the state's gradient.
constexpr bool adds_to_state(const RecurrentShape& p, int group) {
  return p.kind != CellKind::lstm && !p.is_reset(group);
}

/// In the workspace, in f32 elements: forward gates (of all steps, or of one), r h of one step, and states in one
/// piece. Backwards: gates' gradients of all steps, the gradient of h, that of r h of one step, r h of all steps, sums
/// in doubles, and states in one piece.
struct RecurrentPlaces {
  int64_t gates = 0, dh = 0, through = 0, reset_h = 0, sums = 0, h0 = 0, c0 = 0, all = 0;
};
constexpr RecurrentPlaces recurrent_places(const RecurrentShape& p) {
  RecurrentPlaces at;
  const int64_t rows = p.keeps || p.kind == CellKind::rnn ? 0
                       : p.inputs_by_step                 ? p.batch
                                                          : p.samples(),
                piece = p.gathers ? in_lines(p.directions * p.state()) : 0;
  at.reset_h = in_lines(rows * p.columns());
  at.h0 = at.reset_h + (p.resets_first() ? in_lines(p.state()) : 0);
  at.c0 = at.h0 + piece;
  at.all = at.c0 + (p.kind == CellKind::lstm ? piece : 0);
  return at;
}
constexpr RecurrentPlaces recurrent_gradient_places(const RecurrentShape& p) {
  RecurrentPlaces at;
  const int64_t piece = p.gathers ? in_lines(p.directions * p.state()) : 0;
  at.dh = p.samples() * p.columns();
  at.through = at.dh + p.state();
  at.reset_h = at.through + (p.resets_first() ? p.state() : 0);
  at.sums = in_lines(at.reset_h + (p.resets_first() ? p.samples() * p.hidden : 0));
  at.h0 = at.sums + in_lines(2 * p.columns());
  at.c0 = at.h0 + piece;
  at.all = at.c0 + (p.kind == CellKind::lstm ? piece : 0);
  return at;
}

/// Products that are not packed, at most; each group's rows counted as all of them.
constexpr std::array<ProductShape, 2> recurrent_products(const RecurrentShape& p) {
  return {{{p.samples(), p.products(), p.inputs}, {p.batch, p.products(), p.hidden}}};
}
/// dh; dw, dx; dr by samples of one step and of all others.
constexpr std::array<ProductShape, 4> recurrent_gradient_products(const RecurrentShape& p) {
  return {{{p.batch, p.hidden, p.products()},
           {p.products(), p.inputs, p.samples()},
           {p.samples(), p.inputs, p.products()},
           {p.products(), p.hidden, p.samples()}}};
}

/// visitor.gather(): states to one piece. visitor.inputs(d): W x of all steps, or visitor.pack_inputs(d) and
/// visitor.step_inputs(d, step). visitor.pack(d, group): rows of r, where the group's products are of packed weights.
/// visitor.states(d, step, group): R h. visitor.cells(d, step): with the reset gate in front only its half, then
/// visitor.candidates(d, step) is the other one. visitor.last(d): the states after all steps.
template <class Visitor>
void recurrent(const RecurrentShape& p, Visitor& visitor) {
  const int groups = p.groups().count;
  if (p.gathers) visitor.gather();
  for (int64_t d = 0; d < p.directions && !visitor.stopped(); ++d) {
    if (p.inputs_by_step) visitor.pack_inputs(d);
    else visitor.inputs(d);
    for (int group = 0; group < groups; ++group) visitor.pack(d, group);
    for (int64_t step = 0; step < p.steps && !visitor.stopped(); ++step) {
      if (p.inputs_by_step) visitor.step_inputs(d, step);
      for (int group = 0; group < (p.resets_first() ? 1 : groups); ++group) visitor.states(d, step, group);
      visitor.cells(d, step);
      if (!p.resets_first()) continue;
      visitor.states(d, step, 1);
      visitor.candidates(d, step);
    }
    visitor.last(d);
  }
}

/// The last step first. visitor.begin(d): gradients of the states after all steps. visitor.cells(d, step): gates'
/// gradients; with the reset gate in front in two halves, visitor.resets(d, step) the other one, and between them
/// visitor.through(d, step, group): gradients of the state before by a group's rows of r. Then from all steps at once:
/// visitor.input_weights(d): dw; visitor.inputs(d): dx; visitor.first_weights(d, group): dr by the first step,
/// visitor.other_weights(d, group): by the others, or visitor.reset_weights(d): by r h of all; visitor.bias(d).
template <class Visitor>
void recurrent_gradient(const RecurrentShape& p, Visitor& visitor) {
  const int groups = p.groups().count;
  if (p.gathers) visitor.gather();
  for (int64_t d = 0; d < p.directions && !visitor.stopped(); ++d) {
    visitor.begin(d);
    for (int group = 0; group < groups; ++group) visitor.pack(d, group);
    for (int64_t step = p.steps; step-- > 0 && !visitor.stopped();) {
      visitor.cells(d, step);
      if (p.resets_first()) {
        visitor.through(d, step, 1);
        visitor.resets(d, step);
      }
      for (int group = 0; group < (p.resets_first() ? 1 : groups); ++group) visitor.through(d, step, group);
    }
    visitor.input_weights(d);
    visitor.inputs(d);
    for (int group = 0; group < groups && !visitor.stopped(); ++group) {
      if (p.is_reset(group)) {
        visitor.reset_weights(d);
        continue;
      }
      visitor.first_weights(d, group);
      if (p.steps > 1) visitor.other_weights(d, group);
    }
    visitor.bias(d);
  }
}

}  // namespace engine::loops
