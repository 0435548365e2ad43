// SPDX-License-Identifier: Apache-2.0
// Fibres: stacks between which one thread of the host switches, so that the threads of a block can wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine::simt {

/// A stack and where it goes on. Sanitizers are told of every switch.
class Fibres {
 public:
  /// Room for `count` stacks. `main`: what each fibre runs; it ends with finish() and never returns.
  Fibres(unsigned count, void (*main)());
  ~Fibres();
  Fibres(const Fibres&) = delete;
  Fibres& operator=(const Fibres&) = delete;

  /// A free stack, ready to run `main` from its start.
  unsigned acquire();
  /// Goes on with a fibre until it calls leave() or finish().
  void enter(unsigned fibre);
  /// From within a fibre: back to who entered it. Returns when it is entered again.
  void leave();
  /// The same, for good: the stack is free again.
  [[noreturn]] void finish();
  /// Gives up a fibre that waits: what stands on its stack is not destroyed.
  void abandon(unsigned fibre);
  /// First call of `main`, before anything else.
  void begin();

 private:
  struct Fibre {
    void* stack_pointer = nullptr;
    void* sanitizer_stack = nullptr;   ///< AddressSanitizer's
    void* sanitizer_thread = nullptr;  ///< ThreadSanitizer's
  };
  std::byte* bottom(unsigned fibre) const;

  void (*const main_)();
  std::byte* memory_ = nullptr;
  const unsigned count_;
  std::vector<Fibre> fibres_;
  std::vector<unsigned> free_;
  Fibre host_;
  const void* host_bottom_ = nullptr;
  size_t host_bytes_ = 0;
  unsigned current_ = 0;
};

}  // namespace engine::simt
