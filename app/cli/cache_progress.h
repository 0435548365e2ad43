// SPDX-License-Identifier: Apache-2.0
// How far a simulation of accesses is, as lines of progress.
#pragma once

#include <cstdint>
#include <thread>

#include "engine/kernels/core/access.h"

namespace app::cli {

/// Lines {"stage": "simulating", "fraction": 0.42} on standard error, one per hundredth of what there is to do, the
/// first at once.
class CacheProgress {
 public:
  /// `accesses`: of all walks together; 0: not known yet. `wanted` false: says nothing.
  CacheProgress(bool wanted, double accesses);
  /// So many more; those of other threads than the one that made this are not counted: each walks over the same
  /// accesses.
  void add(uint64_t accesses);
  void tell(double fraction);
  /// All is done.
  void finish() { tell(1); }
  bool wanted() const { return wanted_; }

 private:
  const bool wanted_;
  const double all_;
  const std::thread::id thread_;
  double done_ = 0;
  int told_ = -1;  ///< hundredths
};

/// Hears for another sink, and counts.
class CountingSink : public engine::AccessSink {
 public:
  CountingSink(engine::AccessSink& sink, CacheProgress& progress) : sink_(sink), progress_(progress) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override;
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override;
  bool stopped() const override { return sink_.stopped(); }

 private:
  engine::AccessSink& sink_;
  CacheProgress& progress_;
};

}  // namespace app::cli
