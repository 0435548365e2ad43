// SPDX-License-Identifier: Apache-2.0
// StoppableSink: hears a description until somebody stops it.
#pragma once

#include <atomic>

#include "engine/kernels/core/access.h"

namespace profiler {

/// Once `stop` is set nothing reaches `to` any more, and the description may end early. Null: never.
class StoppableSink : public engine::AccessSink {
 public:
  StoppableSink(engine::AccessSink& to, const std::atomic<bool>* stop) : to_(to), stop_(stop) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (!stopped()) to_.group(iterations, streams);
  }
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override {
    if (!stopped()) to_.nest(outer, inner, groups);
  }
  bool stopped() const override { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  engine::AccessSink& to_;
  const std::atomic<bool>* stop_;
};

}  // namespace profiler
