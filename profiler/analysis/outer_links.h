// SPDX-License-Identifier: Apache-2.0
// The links beyond the memory that ops work in: from files to host memory, and from host memory to a device's. The
// ledger of copies and the loader's lanes as bytes per step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/base/scope.h"
#include "profiler/analysis/traffic.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// One tensor's part of such a link, per step; kNoTensor: whoever recorded the copies did not know whose bytes they
/// are.
struct OuterFlow {
  TensorId tensor = kNoTensor;
  double read = 0, written = 0;  ///< bytes towards the ops' memory, and back
  double reads = 0, writes = 0;  ///< copies
};

struct OuterLink {
  /// Measured: mean of the measured steps that were traced. Compulsory bytes are those that crossed, less copies of
  /// unchanged tensors (measured). NaN where some copies are of no known tensor; their bytes have the role workspace.
  /// Nothing is modelled.
  LinkTraffic bytes;
  /// Time per step during which something moved: the union of the copies, the loader's median per batch. NaN: unknown.
  double busy_ns = 0;
  double busy_ratio = 0;         ///< of the median step; NaN: unknown
  std::vector<OuterFlow> flows;  ///< largest first
  std::string how;               ///< how it was measured, a sentence
};

inline constexpr std::string_view kFiles = "files", kHostMemory = "host memory";

/// Farthest first; empty where nothing crosses. `ops_memory`: the level that the ops work in, as links are named by
/// ("DRAM"). Copies belong to an op or a layer where they are tied to its ops, files where it loads them.
std::vector<OuterLink> outer_links(const Capture&, const Scope&, std::string_view ops_memory);

/// Bytes that copies move per step between places in device memory, of one device or of two (measured): no outer link,
/// and no op's.
double copied_within_devices(const Capture&, const Scope&);

}  // namespace profiler
