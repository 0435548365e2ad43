// SPDX-License-Identifier: Apache-2.0
// How long the walk over a step may take: watched by one thread, heard by all. Part of step_simulation.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/memory/captured_access.h"
#include "profiler/memory/step_simulation.h"

namespace profiler::step_detail {

/// Parts of the allowed time: until the pace is trusted; the forecast that reduces the sets; the latest safe new start;
/// the end.
inline constexpr double kTrial = 0.03, kBearable = 1.25, kTooLate = 0.3, kHardEnd = 2;
/// Parts of the time left that a new start may take, early and late. Its pace is an estimate: half of the sets take
/// more than half of the time.
inline constexpr double kIntended = 0.7, kIntendedLate = 0.35;
inline constexpr auto kWaitLook = std::chrono::milliseconds(20);  // between looks at the clock while others walk
inline constexpr uint64_t kWatch = uint64_t{1} << 16;             // accesses between two looks at the clock

/// All that is shared while the threads walk.
struct Walk {
  const CapturedStep& step;
  const StepSimulationRequest& request;
  std::vector<OpId> ops;           // that are walked
  std::atomic<bool> over = false;  // too slow, or too late
  double shown = 0;                // of the progress: a new start does not take it back
  bool stopped() const { return request.stop != nullptr && request.stop->load(std::memory_order_relaxed); }
  bool ended() const { return over.load(std::memory_order_relaxed) || stopped(); }
};

/// Watches how fast a walk passes, and ends it where it would take too long.
class Pace {
 public:
  Pace(Walk& walk, double started, uint64_t accesses, int sample, int most)
      : walk_(walk),
        started_(started),
        begun_(now(walk.request)),
        work_(2 * static_cast<double>(accesses)),
        sample_(sample),
        most_(most) {}
  static double now(const StepSimulationRequest& request) {
    if (request.clock) return request.clock();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void pass(uint64_t accesses) {
    passed_ += accesses;
    if (passed_ - looked_at_ >= kWatch) look();
  }
  void look() {
    looked_at_ = passed_;
    const double allowed = walk_.request.seconds, used = look_at_end(), here = used - (begun_ - started_);
    if (walk_.over || sample_ == most_ || here < kTrial * allowed || passed_ == 0) return;
    const double all = here * work_ / static_cast<double>(passed_), end = begun_ - started_ + all;
    const bool late = used > kTooLate * allowed;
    if (end <= (late ? kHardEnd : kBearable) * allowed) return;
    const double intended = late ? kIntendedLate * (kHardEnd * allowed - used) : kIntended * (allowed - used);
    const auto takes = [&](int sample) { return all * sample_ / sample; };
    int next = 2 * sample_;
    while (next < most_ && takes(next) > intended) next *= 2;
    if (late && takes(next) > intended) return;  // better the ops that are done by the hard end than none
    next_sample_ = next;
    walk_.over = true;
  }
  /// The time used; after the hard end nobody walks on.
  double look_at_end() {
    const double used = now(walk_.request) - started_;
    if (used > kHardEnd * walk_.request.seconds) walk_.over = true;
    return used;
  }
  double part_done() const { return work_ > 0 ? static_cast<double>(passed_) / work_ : 1; }
  /// Where the walk was too slow: simulate one set of this many; else 0.
  int next_sample() const { return next_sample_; }

 private:
  Walk& walk_;
  double started_, begun_;  // everything, and this walk
  double work_;             // accesses of both passes
  int sample_, most_, next_sample_ = 0;
  uint64_t passed_ = 0, looked_at_ = 0;
};

/// Passes on what a walk hears and tells its pace.
class PacedSink : public engine::AccessSink {
 public:
  PacedSink(engine::AccessSink& to, const Walk& walk, Pace* pace) : to_(to), walk_(walk), pace_(pace) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (stopped()) return;
    to_.group(iterations, streams);
    if (pace_ != nullptr && iterations > 0) pace_->pass(static_cast<uint64_t>(iterations) * streams.size());
  }
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override {
    if (stopped()) return;
    to_.nest(outer, inner, groups);
    if (pace_ != nullptr && outer > 0 && inner > 0)
      pace_->pass(static_cast<uint64_t>(outer * inner) * engine::accesses_of(groups));
  }
  bool stopped() const override { return walk_.ended(); }

 private:
  engine::AccessSink& to_;
  const Walk& walk_;
  Pace* pace_;
};

}  // namespace profiler::step_detail
