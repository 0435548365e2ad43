// SPDX-License-Identifier: Apache-2.0
// Roofs of one thread beside OpLab's of two, and captures of ops that ran on one.
#pragma once

#include "profiler/capture/capture_builder.h"

namespace tests {

/// Half of the arithmetic and of the private caches, 60 % of L3 and 70 % of DRAM: one thread loads what is shared more
/// than its part.
inline void add_one_thread_roofs(profiler::Machine& machine) {
  const auto alone = [](auto roofs, auto&& part) {
    const size_t count = roofs.size();
    for (size_t i = 0; i < count; ++i) {
      auto one = roofs[i];
      one.threads = 1;
      part(one);
      roofs.push_back(one);
    }
    return roofs;
  };
  const auto scale = [](profiler::Measured& m, double factor) {
    m.median *= factor, m.low *= factor, m.high *= factor;
  };
  machine.compute = alone(machine.compute, [&](profiler::ComputeRoof& roof) { scale(roof.flop_per_s, 0.5); });
  machine.bandwidth = alone(machine.bandwidth, [&](profiler::BandwidthRoof& roof) {
    scale(roof.bytes_per_s, roof.level == "DRAM" ? 0.7 : roof.level == "L3" ? 0.6 : 0.5);
  });
}

}  // namespace tests
