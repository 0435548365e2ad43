// SPDX-License-Identifier: Apache-2.0
// Checks a learner's kernel: is it right, how fast is it, what does it access, each beside plain loops and ours.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/base/confined_child.h"
#include "app/base/kernel_build.h"
#include "app/base/kernel_catalog.h"
#include "app/base/kernel_fault.h"
#include "engine/base/result.h"
#include "profiler/memory/cache_simulator.h"

namespace app {

struct KernelRequest {
  std::filesystem::path file;
  const KernelKind* kind = nullptr;
  KernelSizes sizes = {};              ///< those that are not usual
  KernelSizes simulated = {};          ///< the same of the simulation
  std::filesystem::path against = {};  ///< another source in place of the plain loops; empty: none
  profiler::CacheConfig caches = {};
  std::string compiler = {};  ///< "g++", "clang++"; empty: the first that is there
  int optimize = 3;
  double most_s = 10;  ///< of one call, and of the noted one with its simulation
  bool trusted = false;
  bool timed = true;  ///< false: check and simulate alone
};

struct KernelTime {
  std::string name;       ///< "yours", "plain loops", "ladder: tiled"
  std::string kernel;     ///< whose code, where it is ours: "OpenBLAS sgemm"
  double time_ns = 0;     ///< median, measured
  double flop_per_s = 0;  ///< NaN: it has no arithmetic
  bool is_ours = false;   ///< Tensortide's op on one thread, which library_ratio compares with
};

struct KernelTensor {
  std::string name;
  int64_t size_bytes = 0;  ///< 0: as much as it takes
};
struct SimulatedKernel {
  std::string name;
  std::vector<KernelTensor> tensors = {};
  profiler::CacheEpoch counts =
      {};  ///< by level and tensor, from empty caches; dirty lines are written back at the end
};

struct KernelReport {
  std::string like, file, against;  ///< against: its name; empty: plain loops
  std::string compiler, options;
  HeldLimits held;
  bool trusted = false;
  KernelSizes sizes, simulated_sizes;
  std::optional<KernelFault> fault;  ///< set: all else may be missing
  double largest_difference = 0;     ///< to ours, relative to the largest magnitude
  double tolerance = 0;
  std::vector<KernelTime> times;           ///< the first is the learner's, the second what it is compared with
  std::vector<SimulatedKernel> simulated;  ///< in the same order; the third is ours
  bool classified = false;                 ///< misses have causes
  profiler::CacheConfig caches;
};

/// Refused where the program cannot do its part: no compiler, no such file, a stop, a machine without confinement. What
/// is wrong with the source is KernelReport::fault.
engine::Result<KernelReport> check_kernel(const KernelRequest&, const std::atomic<bool>& stop);

/// What a report can be graded by, by name: "speedup" "library_ratio" "time_ns" "flop_per_s" "accesses" "misses"
/// "misses_L2" "dram_bytes" "dram_ratio". NaN: it is not known. Origins: times measured, all else simulated.
std::map<std::string, double> kernel_figures(const KernelReport&);
/// Names of kernel_figures() with those of this hierarchy, and what each means.
std::vector<std::pair<std::string, std::string>> kernel_figure_names(const profiler::CacheConfig&);

}  // namespace app
