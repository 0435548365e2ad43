// SPDX-License-Identifier: Apache-2.0
// Copies between two devices.
#pragma once

#include <optional>
#include <string>

#include "engine/runtime/backend.h"
#include "engine/runtime/observer.h"

namespace engine::eager {

/// Copies `source`, which lies in the memory of `from`, to `target` in that of `to`: equal shape and dtype, any
/// strides. Through host memory where neither backend reaches the other's. Has ended, and what `from` computed before
/// is in it, when it returns.
Result<Transfer> transfer(Backend& from, const Tensor& source, Backend& to, const Tensor& target,
                          Transfer::Reason reason);

/// The same, prepared: the op to_device.
class TransferOp final : public PreparedOp {
 public:
  TransferOp(Backend& from, Tensor source, Backend& to, Tensor target, Transfer::Reason reason)
      : from_(from), to_(to), source_(std::move(source)), target_(std::move(target)), reason_(reason) {}

  void run() override;
  KernelFacts facts() const override;
  void report(Observer&, uint32_t op) override;
  bool reports() const override { return true; }
  /// Why the last run() failed; null: it did not.
  const Error* error() const { return last_.ok() ? nullptr : &last_.error(); }

 private:
  Backend &from_, &to_;
  Tensor source_, target_;
  Transfer::Reason reason_;
  Result<Transfer> last_ = Transfer{};
};

}  // namespace engine::eager
