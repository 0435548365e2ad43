// SPDX-License-Identifier: Apache-2.0
#include "profiler/analysis/gpu/graph_launches.h"

#include <unordered_map>

#include "profiler/capture/graph_launch.h"

namespace profiler {

std::unordered_set<uint64_t> graph_launches(const Capture& capture) {
  std::unordered_set<uint64_t> graphs;
  const ActivityColumns& a = capture.activities();
  std::unordered_map<NameId, bool> names;
  for (const ApiCallRecord& call : capture.gpu().api_calls) {
    const auto [entry, fresh] = names.try_emplace(a.name[call.activity], false);
    if (fresh) entry->second = launches_graph(capture.name(entry->first));
    if (entry->second) graphs.insert(a.correlation[call.activity]);
  }
  std::unordered_map<uint64_t, int> kernels;
  for (const KernelRecord& k : capture.gpu().kernels) {
    const uint64_t id = a.correlation[k.activity];
    if (k.graph_node != 0 || ++kernels[id] == 2) graphs.insert(id);
  }
  graphs.erase(0);
  return graphs;
}

}  // namespace profiler
