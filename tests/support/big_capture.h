// SPDX-License-Identifier: Apache-2.0
// Synthetic captures of any size: a training loop on a device with four streams, for tests and benchmarks of what must
// scale.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "profiler/capture/capture_builder.h"

namespace tests {

/// Makes the activities of one step after the other: host layers and ops, the API calls that launch, kernels on four
/// streams (on the last one some overlap), copies on two engines, and waits.
class BigCapture {
 public:
  BigCapture();
  static constexpr size_t kOps = 200;  ///< of one step
  profiler::CaptureBuilder& builder() { return builder_; }
  /// The next step, in the order a capture has.
  void next_step(std::vector<profiler::Activity>& activities, std::vector<profiler::StepRecord>& steps);

 private:
  uint32_t random(uint32_t below);
  void add(profiler::ActivityKind, profiler::TrackId, profiler::NameId, profiler::OpId, int64_t start, int64_t ns,
           uint64_t correlation);

  profiler::CaptureBuilder builder_;
  profiler::TrackId host_ = 0, api_ = 0, streams_[4] = {}, copy_in_ = 0, copy_out_ = 0;
  profiler::NameId layers_[kOps / 4] = {}, kernels_[16] = {}, launch_ = 0, copy_ = 0, wait_ = 0;
  std::vector<profiler::Activity> made_;
  uint32_t step_ = 0, seed_ = 12345;
  uint64_t correlation_ = 0;
  int64_t now_ns_ = 1'000'000'000'000;
};

/// At least `events` activities (whole steps), in memory.
std::shared_ptr<const profiler::Capture> big_capture(size_t events);
/// The same written to a file step by step: memory does not grow with it.
engine::Result<void> write_big_capture(const std::filesystem::path& file, size_t events);

}  // namespace tests
