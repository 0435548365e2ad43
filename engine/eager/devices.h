// SPDX-License-Identifier: Apache-2.0
// Devices: the devices of an eager session, a pool and a runner each; where tensors lie, and what may be mixed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/eager/pool.h"
#include "engine/eager/runner.h"
#include "engine/runtime/observer.h"

namespace engine::eager {

/// Who computes an op, and which of its operands lie elsewhere.
struct Meeting {
  OpRunner* runner = nullptr;
  uint64_t fetched = 0;  ///< bits: 0-d operands to be copied to it first
};

/// The backends outlive it.
class Devices {
 public:
  explicit Devices(Backend& first) : first_(first, runners_, 0) { runners_.push_back(&first_.runner); }
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  /// Refused where the session has a device of that name.
  Result<void> add(Backend& device);
  MemoryPool& pool() { return first_.pool; }                          ///< of the first device
  OpRunner& runner() { return first_.runner; }                        ///< of the first device
  const std::vector<OpRunner*>& runners() const { return runners_; }  ///< of all devices, the first one's first
  /// Of the device whose memory the tensor lies in.
  OpRunner& runner_of(const Slot& slot) {
    // What gave its memory back lies nowhere: the first device answers for it.
    return slot.block.pool() == &first_.pool || !slot.block ? first_.runner : further_runner(*slot.block.pool());
  }
  /// Where one device can compute `op`: all operands lie there, or are 0-d and can be fetched. Refused, before anything
  /// is computed, naming op, operands and devices.
  Result<Meeting> meet(const Op& op, std::span<const Slot* const> operands);
  /// Returns when all devices have computed what they were given.
  void wait() {
    for (OpRunner* runner : runners_) runner->wait();
  }
  /// The recipe that copies a tensor to another device; for a 0-d operand that an op fetches, reason `scalar`.
  Result<Recipe*> copying(const Slot& source, const OpRunner& target, Transfer::Reason reason);

 private:
  struct Place {
    Place(Backend& backend, const std::vector<OpRunner*>& runners, size_t number)
        : pool(backend), runner(backend, pool, runners, number) {}
    MemoryPool pool;
    OpRunner runner;
  };
  OpRunner& further_runner(const MemoryPool& other);

  std::vector<OpRunner*> runners_;
  Place first_;
  std::vector<std::unique_ptr<Place>> further_;
};

}  // namespace engine::eager
