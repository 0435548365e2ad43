// SPDX-License-Identifier: Apache-2.0
// Nests group by group, for listeners who know no shorter way.
#include "engine/kernels/core/access.h"

#include <vector>

namespace engine {

void AccessSink::nest(int64_t outer, int64_t inner, std::span<const NestedGroup> groups) {
  std::vector<AccessStream> streams;
  for (int64_t o = 0; o < outer && !stopped(); ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      for (const NestedGroup& g : groups) {
        streams.clear();
        for (const NestedStream& s : g.streams) {
          streams.push_back(s.stream);
          streams.back().address += static_cast<uint64_t>(o * s.outer + i * s.inner);
        }
        group(g.iterations, streams);
      }
    }
  }
}

}  // namespace engine
