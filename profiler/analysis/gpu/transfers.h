// SPDX-License-Identifier: Apache-2.0
// The ledger of copies: what was moved, whose bytes, why, how fast, and which copies moved what was there already.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// All copies of one tensor for one reason between the same kinds of memory. Copies of unknown tensors are grouped by
/// kind, memory, and size.
struct TransferRow {
  TensorId tensor = kNoTensor;
  NameId reason = 0;
  CopyKind kind = CopyKind::unknown;
  MemoryKind source = MemoryKind::unknown, destination = MemoryKind::unknown;
  Synchrony synchrony = Synchrony::unknown;
  int32_t device = kUnknownFigure;
  int64_t count = 0, bytes = 0;  ///< bytes: sum of those that are known
  int64_t unsized = 0;           ///< copies whose size nobody recorded
  double device_ns = 0;          ///< sum of the copies' own times
  double exposed_ns = 0;         ///< part of that during which no kernel ran on the device
  double host_ns = 0;            ///< sum of the calls that ordered them; NaN: none was recorded
  int64_t judged = 0;            ///< copies (after the first) of which it is known whether the source had changed
  int64_t avoidable = 0;         ///< of those: unchanged since the copy before
  int64_t avoidable_bytes = 0;
  double avoidable_ns = 0;
  // Parts of exposed_ns and avoidable_ns that lie in measured steps (measured_step_windows()); all of them where there
  // are no steps.
  double stepped_exposed_ns = 0, stepped_avoidable_ns = 0;
  /// Bytes over device time of the copies with a size; NaN: none.
  double bytes_per_s() const;
};

struct Transfers {
  std::vector<TransferRow> rows;  ///< largest device time first
  int64_t count = 0, bytes = 0, avoidable = 0, avoidable_bytes = 0, judged = 0;
  double device_ns = 0, exposed_ns = 0, avoidable_ns = 0;
  double stepped_avoidable_ns = 0;    ///< part of avoidable_ns, as in the rows
  int64_t untied = 0;                 ///< copies of unknown tensors
  std::vector<std::string> findings;  ///< sentences, worst first: avoidable copies, pageable memory, many small copies
};
Transfers transfers(const Capture&, const VerdictRules& = VerdictRules::built_in());
/// Row per TransferRow of transfers() of this capture; empty where nothing was copied.
Table transfers_table(const Capture&, const Transfers&);

}  // namespace profiler
