// SPDX-License-Identifier: Apache-2.0
// Asks hwloc for cores and caches, CPUID for features, the kernel for memory.
#include "engine/cpu/topology.h"

#include <cblas.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <hwy/highway.h>

#include <algorithm>
#include <memory>

#include "engine/base/memory.h"
#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "engine/cpu/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace engine::cpu {
namespace {

#if defined(__x86_64__)
struct CpuidRegisters {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidRegisters cpuid(unsigned leaf, unsigned subleaf) {
  CpuidRegisters r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

/// Register sets the operating system saves (XCR0); 0 when it saves none.
uint64_t saved_register_sets() {
  if (!(cpuid(1, 0).ecx & (1u << 27))) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}
#endif

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
  if (hwloc_get_cpubind(raw, allowed, HWLOC_CPUBIND_PROCESS) == 0 &&
      !hwloc_bitmap_iszero(allowed)) {
    hwloc_topology_restrict(raw, allowed, 0);
  }
  hwloc_bitmap_free(allowed);
  return topology;
}

std::vector<CacheLevel> read_caches(hwloc_topology_t topology) {
  std::vector<CacheLevel> caches;
  const std::pair<hwloc_obj_type_t, const char*> levels[] = {{HWLOC_OBJ_L1CACHE, "L1d"},
                                                             {HWLOC_OBJ_L2CACHE, "L2"},
                                                             {HWLOC_OBJ_L3CACHE, "L3"},
                                                             {HWLOC_OBJ_L4CACHE, "L4"}};
  for (const auto& [type, name] : levels) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, 0);
    if (object == nullptr || object->attr->cache.size == 0) continue;
    const int cores =
        hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE);
    caches.push_back({.name = name,
                      .size_bytes = static_cast<int64_t>(object->attr->cache.size),
                      .line_bytes = object->attr->cache.linesize > 0
                                        ? static_cast<int>(object->attr->cache.linesize)
                                        : 64,
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
  const std::string config =
      openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const size_t space = config.find(' ');
  const std::string version =
      config.substr(0, space == std::string::npos ? space : config.find(' ', space + 1));
  return fmt::format("{}, {} kernels", version, openblas_get_corename());
}

}  // namespace

std::vector<std::string> cpu_features() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  constexpr uint64_t kAvx = 0x6, kAvx512 = 0xe6, kAmx = 0x60000;
  const uint64_t saved = saved_register_sets();
  const CpuidRegisters leaf1 = cpuid(1, 0), leaf7 = cpuid(7, 0), leaf7_1 = cpuid(7, 1);
  struct Bit {
    const char* name;
    unsigned word;
    int bit;
    uint64_t needs;
  };
  const Bit bits[] = {{"sse4.2", leaf1.ecx, 20, 0},
                      {"avx", leaf1.ecx, 28, kAvx},
                      {"fma", leaf1.ecx, 12, kAvx},
                      {"f16c", leaf1.ecx, 29, kAvx},
                      {"avx2", leaf7.ebx, 5, kAvx},
                      {"avx-vnni", leaf7_1.eax, 4, kAvx},
                      {"avx512f", leaf7.ebx, 16, kAvx512},
                      {"avx512bw", leaf7.ebx, 30, kAvx512},
                      {"avx512vl", leaf7.ebx, 31, kAvx512},
                      {"avx512-vnni", leaf7.ecx, 11, kAvx512},
                      {"avx512-bf16", leaf7_1.eax, 5, kAvx512},
                      {"avx512-fp16", leaf7.edx, 23, kAvx512},
                      {"amx-tile", leaf7.edx, 24, kAmx},
                      {"amx-bf16", leaf7.edx, 22, kAmx},
                      {"amx-int8", leaf7.edx, 25, kAmx}};
  for (const Bit& b : bits) {
    if ((b.word >> b.bit & 1u) != 0 && (saved & b.needs) == b.needs) features.emplace_back(b.name);
  }
#endif
  return features;
}

int vector_bits(const std::vector<std::string>& features) {
  const auto has = [&](const char* name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  };
  return has("avx512f") ? 512 : has("avx2") ? 256 : 128;
}

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

}  // namespace engine::cpu
