// SPDX-License-Identifier: Apache-2.0
// What `tensortide kernel` and the process that runs a kernel share: one block of memory, two pipes.
#pragma once

#include <stdint.h>

namespace tensortide {

enum { kCommands = 3, kAnswers = 4, kMemory = 5 };  ///< descriptors of the child
enum { kMostTensors = 8, kMostSizes = 8, kMostFrames = 48 };

/// Why the child ended before it answered.
enum Stop : uint32_t { stop_none = 0, stop_signal = 1, stop_outside = 2, stop_scratch = 3 };

struct Operand {
  uint64_t offset_bytes;  ///< from the start of the block
  int64_t count;          ///< elements
};

struct Shared {
  uint64_t bytes;  ///< of the block
  int64_t sizes[kMostSizes];
  float scalar;
  uint32_t tensors;
  Operand operands[kMostTensors];
  uint64_t scratch_offset_bytes;
  int64_t scratch_count;
  // written by the child
  uint32_t stop, signal;
  uint32_t tensor, width, stores;  ///< stop_outside: the access
  int64_t index, count;
  uint32_t frames;
  uint64_t frame[kMostFrames];  ///< addresses of code, innermost first
};

/// The answer to one command: behind the notes of its run, if any.
inline constexpr uint64_t kDone = ~uint64_t{0};

}  // namespace tensortide
