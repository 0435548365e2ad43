// SPDX-License-Identifier: Apache-2.0
// What this machine is: asks hwloc for cores and caches, the kernel for memory.
#include <cblas.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <hwy/highway.h>

#include <algorithm>
#include <memory>

#include "engine/base/memory.h"
#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "engine/cpu/pinned_threads.h"
#include "engine/kernels/core/cpu_features.h"
#include "engine/kernels/core/kernels.h"

namespace engine::cpu {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

/// The topology restricted to the cores this process may run on; null when hwloc cannot tell.
Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(raw, allowed, HWLOC_CPUBIND_PROCESS) == 0 && !hwloc_bitmap_iszero(allowed)) {
    hwloc_topology_restrict(raw, allowed, 0);
  }
  hwloc_bitmap_free(allowed);
  return topology;
}

std::vector<CacheLevel> read_caches(hwloc_topology_t topology) {
  std::vector<CacheLevel> caches;
  const std::pair<hwloc_obj_type_t, const char*> levels[] = {
      {HWLOC_OBJ_L1CACHE, "L1d"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}, {HWLOC_OBJ_L4CACHE, "L4"}};
  for (const auto& [type, name] : levels) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, 0);
    if (object == nullptr || object->attr->cache.size == 0) continue;
    const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE);
    caches.push_back(
        {.name = name,
         .size_bytes = static_cast<int64_t>(object->attr->cache.size),
         .line_bytes = object->attr->cache.linesize > 0 ? static_cast<int>(object->attr->cache.linesize) : 64,
         .ways = object->attr->cache.associativity,
         .shared_by_cores = std::max(1, cores)});
  }
  return caches;
}

std::string read_model(hwloc_topology_t topology) {
  if (topology != nullptr) {
    if (const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0)) {
      if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel")) return model;
    }
  }
  return "unknown CPU";
}

/// "OpenBLAS 0.3.21, Haswell kernels": it chooses kernels by CPU model and may know no better ones
/// for a newer CPU.
std::string openblas_version() {
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const size_t space = config.find(' ');
  const std::string version = config.substr(0, space == std::string::npos ? space : config.find(' ', space + 1));
  return fmt::format("{}, {} kernels", version, openblas_get_corename());
}

}  // namespace

DeviceInfo describe() {
  DeviceInfo info;
  info.device = {.kind = "cpu", .index = 0};
  const Topology topology = load_topology();
  info.model = read_model(topology.get());
  if (topology) {
    info.cores = std::max(0, hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE));
    info.hardware_threads = std::max(0, hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PU));
    info.caches = read_caches(topology.get());
  }
  info.features = cpu_features();
  info.vector_bits = vector_bits(info.features);
  const HostMemory memory = host_memory();
  info.memory_bytes = memory.total_bytes;
  info.memory_available_bytes = memory.available_bytes;
  info.libraries = {openblas_version(), fmt::format("Highway {}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH),
                    "own thread pool"};
  if (has_onednn()) info.libraries.insert(info.libraries.begin(), onednn_version());
  return info;
}

ProcessorOrder processor_order() {
  ProcessorOrder order;
  const Topology topology = load_topology();
  if (!topology) return order;
  const int cores = std::max(0, hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE));
  for (unsigned turn = 0; cores > 0; ++turn) {
    const size_t before = order.processors.size();
    for (int core = 0; core < cores; ++core) {
      const hwloc_obj_t object = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_CORE, static_cast<unsigned>(core));
      const hwloc_obj_t thread =
          hwloc_get_obj_inside_cpuset_by_type(topology.get(), object->cpuset, HWLOC_OBJ_PU, turn);
      if (thread != nullptr) order.processors.push_back(static_cast<int>(thread->os_index));
    }
    if (order.processors.size() == before) break;
    if (turn == 0) order.cores = static_cast<int>(order.processors.size());
  }
  if (!order.processors.empty()) return order;
  // Processors without cores: as they come.
  for (hwloc_obj_t thread = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, nullptr); thread != nullptr;
       thread = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, thread))
    order.processors.push_back(static_cast<int>(thread->os_index));
  return order;
}

}  // namespace engine::cpu
