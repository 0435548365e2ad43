// SPDX-License-Identifier: Apache-2.0
// ReportRecord: what a report carries for machines: the recorded command and its figures, so that it can be run again
// and compared.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

struct ReportRecord {
  std::string content;  ///< of the model file it ran ("xxh3:..."); empty: it ran none, or an older version recorded it
  std::string kind;     ///< "capture", "sweep", or "trace" (of another tool)
  std::string title, command, device, machine, created_at, product_version;
  int threads = 0;
  double foreign_load_ratio = std::numeric_limits<double>::quiet_NaN();  ///< measured while recording; NaN: unknown
  std::vector<double> step_ns;                                           ///< measured: every timed step, in order
};
ReportRecord record_of(const Capture&);
ReportRecord record_of(const Sweep&);  ///< without times: its points have their own

std::string to_json(const ReportRecord&);
/// Fails (refused) in words on what is no such JSON; numbers that no measurement gives are refused too.
engine::Result<ReportRecord> record_from_json(const std::string& text);

/// Finds the record in a report (.html). Refused: no file, too large, no report of ours, a record of a later schema.
engine::Result<ReportRecord> read_report_record(const std::filesystem::path& file);

/// The element of an HTML report that holds the record.
inline constexpr const char* kRecordName = "tensortide-record";

}  // namespace profiler
