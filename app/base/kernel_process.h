// SPDX-License-Identifier: Apache-2.0
// KernelProcess: a compiled kernel in a confined process, its tensors in memory that both see.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/base/confined_child.h"
#include "app/base/kernel_build.h"
#include "app/base/kernel_catalog.h"
#include "app/base/kernel_fault.h"

namespace tensortide {
struct Shared;
}

namespace app {

/// Where the tensors lie: each from a page on, one after the other.
struct KernelLayout {
  std::vector<int64_t> offsets_bytes, counts;  ///< by operand
  int64_t scratch_offset_bytes = 0, scratch_count = 0;
  int64_t bytes = 0;
};
KernelLayout kernel_layout(const KernelKind&, const KernelSizes&);

/// One access that the kernel noted.
struct NotedAccess {
  int64_t index = 0;    ///< element of the tensor
  uint32_t tensor = 0;  ///< operand; behind them: scratch
  uint32_t width = 1;   ///< elements
  bool stores = false;
};

class KernelProcess {
 public:
  struct Limits {
    double seconds = 10;              ///< of one command
    uint64_t accesses = 200'000'000;  ///< noted ones, of one command
    bool trusted = false;
  };
  static engine::Result<std::unique_ptr<KernelProcess>> start(const KernelBuild&, const KernelSource&,
                                                              const KernelKind&, const KernelSizes&, const Limits&,
                                                              const std::atomic<bool>& stop);
  ~KernelProcess();
  KernelProcess(const KernelProcess&) = delete;
  KernelProcess& operator=(const KernelProcess&) = delete;

  const KernelLayout& layout() const { return layout_; }
  std::span<float> operand(size_t index);
  /// Random numbers from -1 to 1 into all that is given, a mark into what is not (see first_unwritten()).
  void fill(uint64_t seed);

  /// Calls the kernel `times` times; nanoseconds by our clock. `noted`: gets the accesses in order. A fault is kept:
  /// see fault(); then, and when stopped, 0.
  int64_t call(uint32_t times, const std::function<void(const NotedAccess&)>& noted = nullptr);
  const std::optional<KernelFault>& fault() const { return fault_; }
  /// What it printed so far.
  std::string printed() const;

  /// The mark of elements that were never written: a NaN of its own.
  static bool is_unwritten(float);

 private:
  KernelProcess(const KernelBuild& build, const KernelSource& source, const KernelKind& kind, KernelLayout layout,
                const Limits& limits, const std::atomic<bool>& stop)
      : build_(build), source_(source), kind_(kind), layout_(std::move(layout)), limits_(limits), stop_(stop) {}
  void note_end(bool late, bool too_many);

  const KernelBuild& build_;
  const KernelSource& source_;
  const KernelKind& kind_;
  KernelLayout layout_;
  KernelSizes sizes_;
  Limits limits_;
  const std::atomic<bool>& stop_;
  tensortide::Shared* shared_ = nullptr;
  int commands_ = -1, answers_ = -1;
  std::optional<ConfinedChild> child_;
  std::optional<KernelFault> fault_;
};

}  // namespace app
