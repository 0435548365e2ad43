// SPDX-License-Identifier: Apache-2.0
// Exporter: one format of other tools that a capture can be written in. Each is one file here and one line in
// catalog.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// What of a capture is written: spans that touch [begin_ns, end_ns), times of the capture's clock.
struct ExportRange {
  int64_t begin_ns = std::numeric_limits<int64_t>::min(), end_ns = std::numeric_limits<int64_t>::max();
  bool touches(int64_t start_ns, int64_t duration_ns) const {
    return start_ns < end_ns && (start_ns >= begin_ns || start_ns + duration_ns > begin_ns);
  }
  /// Whether a span is written. The mark of a step that is cut is not: a reader would take its part for a step.
  bool keeps(ActivityKind kind, int64_t start_ns, int64_t duration_ns) const {
    const bool whole = start_ns >= begin_ns && start_ns + duration_ns <= end_ns;
    return kind == ActivityKind::step ? whole : touches(start_ns, duration_ns);
  }
};
/// Steps that lie partly in the range.
int64_t steps_cut(const Capture&, const ExportRange&);

/// Buffered output to a file; the first error is kept and reported at the end.
class ExportSink {
 public:
  virtual ~ExportSink() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Receives the share done (0 to 1) now and then. Returns false to give up; the written part is removed.
  virtual bool go_on(double /*fraction*/) { return true; }
  /// The same for one of many rows, which asks only now and then.
  bool go_on(size_t row, size_t rows) {
    return row % 8192 != 0 ||
           go_on(std::min(1.0, static_cast<double>(row) / static_cast<double>(std::max<size_t>(1, rows))));
  }
};

/// What a long export tells and heeds.
struct ExportControl {
  std::function<void(double fraction)> progress;  ///< empty: nobody asks
  const std::atomic<bool>* stop = nullptr;
};

struct Exporter {
  const char* name;       ///< what --format calls it
  const char* extension;  ///< ".pftrace"
  const char* help;       ///< which programs read it
  void (*write)(const Capture&, const ExportRange&, ExportSink&);
  bool (*has_content)(const Capture&) = nullptr;  ///< whether there is anything for this format; null: there always is
  const char* content = "";                       ///< what has_content looks for: "kernels"
};

std::span<const Exporter> exporters();

// One function per format.
Exporter chrome_exporter();
Exporter perfetto_exporter();
Exporter speedscope_exporter();
Exporter pprof_exporter();
Exporter gpu_trace_csv_exporter();
Exporter kernel_sum_csv_exporter();
Exporter copy_sum_csv_exporter();
Exporter ranges_csv_exporter();
Exporter range_sum_csv_exporter();
Exporter call_sum_csv_exporter();
Exporter png_exporter();

/// By --format, else by the longest extension that the file's name ends in; fails (usage) naming what there is.
engine::Result<Exporter> exporter_for(const std::filesystem::path& file, const std::string& format);
/// The same for a capture: where only the ending ".csv" asked for GPU work and none was recorded, the host's ranges
/// take its place. Refused, naming what would hold something: the format has nothing to say of this capture.
engine::Result<Exporter> exporter_for(const Capture&, const std::filesystem::path& file, const std::string& format);
/// Writes beside the target and moves it there when it is whole. Refused: unwritable, disk full, stopped; the old file
/// then stays.
engine::Result<void> export_capture(const Capture&, const ExportRange&, const Exporter&,
                                    const std::filesystem::path& file, const ExportControl& = {});

}  // namespace profiler
