// SPDX-License-Identifier: Apache-2.0
// RankLab: traces of several processes, as another tool would have written them, whose steps and work are put in place
// by hand.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "profiler/capture/capture_builder.h"

namespace tests {

/// Ranks with a host thread and a GPU (number 0) each. All have the same steps behind one another; times are
/// microseconds from a step's begin.
class RankLab {
 public:
  struct Place {
    uint32_t rank = 0, step = 0;
    int64_t at_us = 0, us = 0;
  };
  RankLab(uint32_t ranks, uint32_t steps, int64_t step_us, uint32_t warmups = 0) : step_us_(step_us) {
    builder_.run().workload = builder_.run().title = "ranks";
    builder_.run().source = "PyTorch";
    std::vector<profiler::StepRecord> all;
    for (uint32_t s = 0; s < steps; ++s) all.push_back({s, s * step_us * 1000, step_us * 1000, true, s < warmups});
    for (const profiler::StepRecord& step : all) builder_.add_step(step);
    for (uint32_t r = 0; r < ranks; ++r) {
      host_.push_back(builder_.track(profiler::TrackKind::host_thread, "main", fmt::format("rank {}", r)));
      stream_.push_back(builder_.track(profiler::TrackKind::stream, "stream 7", fmt::format("rank {} GPU 0", r)));
      builder_.add_rank({builder_.intern(fmt::format("rank {}", r)), all, {host_.back(), stream_.back()}});
    }
  }
  profiler::OpId op(std::string_view type) {
    profiler::OpRecord record;
    record.name = record.type = record.kernel = builder_.intern(type);
    return builder_.add_op(record, {});
  }
  void host(profiler::OpId op, const Place& place) {
    profiler::Activity a = activity("op", place, host_[place.rank]);
    a.op = op;
    a.kind = profiler::ActivityKind::op;
    builder_.add_activity(a);
  }
  void call(std::string_view name, const Place& place) {
    builder_.add_api_call(activity(name, place, host_[place.rank]), {});
  }
  /// `step` of it: in which it was launched, wherever it lies; kNoStep: in none.
  void kernel(std::string_view name, const Place& place, profiler::OpId op = profiler::kNoOp) {
    profiler::Activity a = activity(name, place, stream_[place.rank]);
    a.op = op;
    builder_.add_kernel(a, {.place = {0, 1, 7}});
  }
  void copy(profiler::MemoryKind source, const Place& place, profiler::TensorId tensor = profiler::kNoTensor,
            uint64_t version = 0) {
    builder_.add_copy(activity("Memcpy HtoD", place, stream_[place.rank]), {.place = {0, 1, 7},
                                                                            .kind = profiler::CopyKind::host_to_device,
                                                                            .source = source,
                                                                            .destination = profiler::MemoryKind::device,
                                                                            .bytes = 1'000'000,
                                                                            .tensor = tensor,
                                                                            .content_version = version});
  }
  profiler::CaptureBuilder& builder() { return builder_; }
  std::shared_ptr<const profiler::Capture> finish() {
    auto capture = builder_.finish();
    CHECK(capture.ok());
    return *capture;
  }

 private:
  profiler::Activity activity(std::string_view name, const Place& place, profiler::TrackId track) {
    profiler::Activity a;
    a.name = builder_.intern(name);
    a.step = place.step;
    a.track = track;
    a.start_ns = ((place.step == profiler::kNoStep ? 0 : place.step * step_us_) + place.at_us) * 1000;
    a.duration_ns = place.us * 1000;
    return a;
  }

  profiler::CaptureBuilder builder_;
  int64_t step_us_;
  std::vector<profiler::TrackId> host_, stream_;
};

}  // namespace tests
