// SPDX-License-Identifier: Apache-2.0
// Variable: a tensor that computes at once and records how it was made. Plain C++ loops, branches and recursion on its
// values have gradients.
//
// clang-format off
//   EagerSession session(backend);
//   Variable w = make_variable(session, type, Fill{Fill::Kind::normal, 0, 1}, /*requires_grad=*/true);
//   while ((x * x).sum().item() > 1) x = x * 0.5;
//   Variable loss = (matmul(x, w) - y).relu().sum();
//   if (auto done = loss.backward(); !done) ...
//   w.grad()
// clang-format on
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engine/eager/session.h"

namespace engine {

/// One op on a variable's tape.
struct TapedOp {
  std::string op;           ///< "multiply"
  TensorType result;        ///< its first output
  int64_t saved_bytes = 0;  ///< of blocks kept for its gradient that no earlier op of this tape keeps
};

/// A counted handle; copies share the tensor. For one thread, as its session. An op that is refused
/// gives a variable that is not ok() and names op and shapes; everything computed from it carries
/// the same error. Operands stay as they were.
class Variable {
 public:
  /// No tensor; ops on it are refused.
  Variable() = default;
  Variable(const Variable& other) : cell_(other.cell_) {
    if (cell_ != nullptr) ++cell_->users;
  }
  Variable(Variable&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  Variable& operator=(Variable other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~Variable() {
    if (cell_ != nullptr) eager::Core::give_back(cell_);
  }

  /// Whether there is a tensor.
  bool ok() const { return cell_ != nullptr && cell_->error == nullptr; }
  /// Why not. CHECKs that it is not ok().
  const Error& error() const;
  /// CHECK that it is ok().
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }

  /// The one element as a number; NaN when it is not ok() or has not one element.
  double item() const;
  /// A row-major copy on the host.
  Result<Tensor> to_tensor() const;

  /// In whose memory it lies. CHECKs that it is ok().
  Device device() const;
  /// A copy on that device; itself where it lies there already. Gradients flow back through it. Refused where the
  /// session has not got the device (EagerSession::add_device).
  Variable to(const Device& device) const;
  Variable to(std::string_view device) const;
  Variable cpu() const { return to(Device{}); }
  Variable cuda(int index = 0) const { return to(Device{"cuda", index}); }
  /// Leaves of this dtype, on this device.
  Variable new_zeros(const Shape& shape) const;
  Variable new_ones(const Shape& shape) const;
  Variable new_full(const Shape& shape, double value) const;

  /// Overwrites the elements with those of `from`, which is broadcast to this shape. The one op whose operands may be
  /// of different dtypes (see ops::kCast) and on different devices. It is not recorded: refused where one of them
  /// requires a gradient and no NoGrad lives.
  Result<void> copy_(const Variable& from) const;
  /// The same with one number: `x.slice(0, 0, 1).fill_(5)` is x[0] = 5.
  Result<void> fill_(double value) const;

  bool requires_grad() const { return ok() && cell_->requires_grad; }
  /// Adds d(this)/d(leaf) to grad() of each leaf that requires it. This must be one floating-point
  /// number made by recorded ops. The tape stays as long as variables hold it, so that a second
  /// call adds again. After a refusal no gradient has changed.
  Result<void> backward() const;
  /// Leaves: what backward() has added up; not ok() before.
  Variable grad() const;
  void zero_grad() const;
  /// The recorded ops that a backward() of this could reach, in the order they ran.
  std::vector<TapedOp> tape() const;
  /// The same bytes without a past.
  Variable detach() const;

  Variable relu() const;
  Variable sigmoid() const;
  /// Over `axes` (-1 is the last); none named: over all.
  Variable sum(std::vector<int64_t> axes = {}, bool keep_axes = false) const;
  Variable reshape(Shape shape) const;
  Variable transpose(int64_t axis_a, int64_t axis_b) const;
  /// Elements start, start + step, ... before end along `axis` (Python rules).
  Variable slice(int64_t axis, int64_t start, int64_t end, int64_t step = 1) const;
  /// factor * this + shift.
  Variable scale(double factor, double shift = 0) const;

  /// Takes over one user of `cell`.
  explicit Variable(eager::Cell* cell) : cell_(cell) {}
  eager::Cell* cell() const { return cell_; }

 private:
  Variable new_leaf_like(const Shape& shape, const Fill& fill) const;

  eager::Cell* cell_ = nullptr;
};

/// A leaf with a copy of `tensor`, on the device of the session.
Variable make_variable(EagerSession& session, const Tensor& tensor, bool requires_grad = false);
/// A leaf that starts as `fill` says; the session's seed and the number of such leaves before it
/// choose the random numbers.
Variable make_variable(EagerSession& session, const TensorType& type, const Fill& fill, bool requires_grad = false);

// Operands broadcast (numpy) and must have the same dtype; + - * mix with a 0-d operand of another dtype (promotion.h).
Variable operator+(const Variable& a, const Variable& b);
Variable operator-(const Variable& a, const Variable& b);
Variable operator*(const Variable& a, const Variable& b);
Variable matmul(const Variable& a, const Variable& b);
inline Variable operator-(const Variable& a) { return a.scale(-1); }
inline Variable operator+(const Variable& a, double b) { return a.scale(1, b); }
inline Variable operator+(double a, const Variable& b) { return b.scale(1, a); }
inline Variable operator-(const Variable& a, double b) { return a.scale(1, -b); }
inline Variable operator-(double a, const Variable& b) { return b.scale(-1, a); }
inline Variable operator*(const Variable& a, double b) { return a.scale(b); }
inline Variable operator*(double a, const Variable& b) { return b.scale(a); }
inline Variable operator/(const Variable& a, double b) { return a.scale(1 / b); }
// Of variables with one element; false when there is no such number.
inline bool operator<(const Variable& a, double b) { return a.item() < b; }
inline bool operator>(const Variable& a, double b) { return a.item() > b; }
inline bool operator<=(const Variable& a, double b) { return a.item() <= b; }
inline bool operator>=(const Variable& a, double b) { return a.item() >= b; }

/// Any building function on variables: `build` gets the builder and one value per operand and
/// returns the values wanted back. It may append ops and constants, but no inputs, parameters or
/// states of its own. Where it is refused, each of the `results` variables carries the error.
using EagerFunction = std::function<std::vector<ValueId>(GraphBuilder&, std::span<const ValueId>)>;
std::vector<Variable> apply(std::span<const Variable> operands, const EagerFunction& build, size_t results = 1);

/// While one lives, nothing of its session is recorded.
class NoGrad {
 public:
  explicit NoGrad(EagerSession& session) : core_(session.core()) { ++core_.no_grad; }
  ~NoGrad() { --core_.no_grad; }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  eager::Core& core_;
};

}  // namespace engine
