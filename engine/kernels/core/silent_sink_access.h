// SPDX-License-Identifier: Apache-2.0
// For those who ask a description only what it answers.
#pragma once

#include "engine/kernels/core/access.h"

namespace engine {

/// Hears nothing.
class SilentSink final : public AccessSink {
 public:
  /// Not to the end: a description may stop at once, with its answer.
  static SilentSink impatient() { return SilentSink(true); }
  SilentSink() = default;
  using AccessSink::group;
  void group(int64_t, std::span<const AccessStream>) override {}
  void nest(int64_t, int64_t, std::span<const NestedGroup>) override {}
  bool stopped() const override { return stopped_; }

 private:
  explicit SilentSink(bool stopped) : stopped_(stopped) {}
  bool stopped_ = false;
};

}  // namespace engine
