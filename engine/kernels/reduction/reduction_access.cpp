// SPDX-License-Identifier: Apache-2.0
// Sums and other reductions: what the parts of reduction_loops.h access.
#include "engine/kernels/reduction/reduction_loops.h"

#include <algorithm>
#include <array>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

using loops::ReductionNest;
using Addresses = std::array<uint64_t, 2>;

constexpr int64_t kDouble = sizeof(double);

enum class Kind { sum, in_doubles, exponentials, other };

/// What is gathered of x, and how; integers all in 64 bits.
Kind kind_of(std::string_view op, DType dtype) {
  if (!is_floating(dtype)) return Kind::other;
  if (op == "sum" || op == "mean" || op == "log_sum") return Kind::sum;
  if (op == "l2_norm" || op == "sum_of_squares" || op == "product") return Kind::in_doubles;
  return op == "log_sum_exp" ? Kind::exponentials : Kind::other;
}

/// In the workspace: what all blocks gather, in doubles, then in x's type.
class Reduction {
 public:
  Reduction(const OpCall& call, const ReductionNest& nest, AccessSink& sink)
      : call_(call), nest_(nest), sink_(sink), own_(kind_of(call.node.op->name, call.inputs[0].type.dtype)) {}

  Kind own() const { return own_; }
  void pass(bool greatest) {
    kind_ = greatest ? Kind::other : own_;
    const Addresses base{call_.outputs[0].address, call_.inputs[0].address};
    for (task_ = 0; task_ < nest_.kept.rows() * nest_.blocks && !stopped(); ++task_) {
      row_ = nest_.kept.row(base, task_ / nest_.blocks);
      loops::gather_block(nest_, task_, kind_ == Kind::sum, *this);
    }
    for (int64_t row = 0; row < nest_.kept.rows() && !stopped(); ++row) finish(row, nest_.kept.row(base, row)[0]);
  }

  bool stopped() const { return sink_.stopped(); }
  void clear() { across_row().one_by_one(nest_.width(), {{sums(task_), kStore}}); }
  void clear_near() { across_row().one_by_one(nest_.width(), {{near(), kStore}}); }
  void add(int64_t row) { across_row().all({{near()}, {x(row)}, {near(), kStore}}); }
  void flush() { across_row().one_by_one(nest_.width(), {{sums(task_)}, {near()}, {sums(task_), kStore}}); }
  void start() { clear(); }
  void across(int64_t row) {
    if (kind_ == Kind::exponentials) across_row().all({{x(row)}, {y(row_[0])}, {sums(task_)}, {sums(task_), kStore}});
    else across_row().all({{x(row)}, {sums(task_)}, {sums(task_), kStore}});
  }
  /// Squares and products are gathered in doubles: so many elements of x at a time as doubles fill a vector.
  void line(int64_t row, loops::Range elements) {
    Passes along(elements.size(),
                 kind_ == Kind::in_doubles ? call_.vector_bytes * bytes() / kDouble : call_.vector_bytes, sink_);
    if (kind_ == Kind::exponentials) along.one(y(row_[0]));
    along.all({{from(x(row), elements.begin)}});
  }
  void keep() { across_row().one(sums(task_), kStore); }

 private:
  int64_t bytes() const { return size_bytes(call_.inputs[0].type.dtype); }
  Passes across_row() const { return {nest_.width(), call_.vector_bytes, sink_}; }
  Line sums(int64_t task) const { return in_workspace(call_, task * nest_.width() * kDouble, kDouble); }
  Line near() const {
    return in_workspace(call_, nest_.partial_count() * kDouble + task_ * nest_.width() * bytes(), bytes());
  }
  Line x(int64_t row) const { return {nest_.gathered.row(row_, row)[1], bytes(), call_.inputs[0].tensor, bytes()}; }
  Line y(uint64_t address) const { return {address, bytes(), call_.outputs[0].tensor, bytes()}; }
  /// Element by element: what the blocks gathered, then y; y before only where that is the greatest.
  void finish(int64_t row, uint64_t address) {
    const Line first = sums(row * nest_.blocks), to = y(address);
    const NestedStream gathered{
        {first.address, nest_.width() * kDouble, first.tensor, kDouble, AccessKind::load}, kDouble, 0};
    const auto of_y = [&](AccessKind kind) {
      return NestedStream{{to.address, 0, to.tensor, static_cast<uint16_t>(to.bytes), kind}, nest_.y_step, 0};
    };
    const std::array results{of_y(AccessKind::load), of_y(AccessKind::store)};
    const NestedGroup groups[] = {
        {nest_.blocks, std::span(&gathered, 1)},
        {1, kind_ == Kind::exponentials ? std::span(results) : std::span(results).subspan(1)}};
    sink_.nest(1, nest_.width(), groups);
  }

  const OpCall& call_;
  const ReductionNest& nest_;
  AccessSink& sink_;
  Kind own_, kind_ = own_;
  int64_t task_ = 0;
  Addresses row_{};
};

}  // namespace

bool describe_reduction(const OpCall& call, AccessSink& sink) {
  const Operand &x = call.inputs[0], &y = call.outputs[0];
  if (!has_own_loops(call)) return false;
  const int64_t bytes = size_bytes(x.type.dtype);
  const auto nest = loops::reduction_nest(call.node.attributes.get_ints("axes", {}), x.type.shape, x.type.strides,
                                          y.type.shape, y.type.strides, bytes, call.node.op->name == "log_sum_exp");
  if (!nest || nest->partial_count() > static_cast<int64_t>(call.workspace_bytes) / (kDouble + bytes)) return false;
  Reduction parts(call, *nest, sink);
  loops::reduce(parts.own() == Kind::exponentials, parts);
  return true;
}

}  // namespace engine::access
