// SPDX-License-Identifier: Apache-2.0
// Copies between two devices: directly where one backend reaches both memories, else through the host.
#include "engine/eager/transfer.h"

#include <fmt/format.h>

#include "engine/base/clock.h"
#include "engine/tensor/device_name.h"

namespace engine::eager {
namespace {

/// Devices whose memory the processor addresses.
bool on_host(const Backend& backend) { return !is_gpu(backend.info().device); }

Result<void> copy(Backend& from, const Tensor& source, Backend& to, const Tensor& target) {
  if (on_host(from) && on_host(to)) return from.copy(source, target);
  // A GPU's backend knows host memory by the name "cpu".
  Result<Tensor> host = Tensor::empty(TensorType::contiguous(source.dtype(), source.shape()));
  if (!host) return host.error();
  if (Result<void> out = from.copy(source, *host); !out) return out;
  return to.copy(*host, target);
}

}  // namespace

Result<Transfer> transfer(Backend& from, const Tensor& source, Backend& to, const Tensor& target,
                          Transfer::Reason reason) {
  Transfer done{.from = from.info().device,
                .to = to.info().device,
                .size_bytes = target.type().distinct_bytes(),
                .reason = reason};
  from.synchronize();  // what it computed before belongs to it, not to the copy
  done.begin_ticks = now_ticks();
  if (Result<void> copied = copy(from, source, to, target); !copied) {
    return Error{copied.error().kind, fmt::format("[to_device] {} to {}: {}", to_string(done.from), to_string(done.to),
                                                  copied.error().message)};
  }
  to.synchronize();
  done.end_ticks = now_ticks();
  return done;
}

void TransferOp::run() { last_ = transfer(from_, source_, to_, target_, reason_); }

KernelFacts TransferOp::facts() const {
  return {.name = fmt::format("copy {} -> {}", to_string(from_.info().device), to_string(to_.info().device))};
}

void TransferOp::report(Observer& observer, uint32_t op) {
  if (last_) observer.transfer_done(op, *last_);
}

}  // namespace engine::eager
