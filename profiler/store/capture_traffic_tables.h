// SPDX-License-Identifier: Apache-2.0
// The tables of op attributes, of ops' threads and of traffic in a .tide file: rows in and out. Made with their first
// row.
#pragma once

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/table_scan.h"

namespace profiler {

/// Appends the attributes of all ops of a capture.
engine::Result<void> write_attributes(const sqlite::Database&, const Capture&);
/// Appends how many threads shared each op, where that is known.
engine::Result<void> write_threads(const sqlite::Database&, const Capture&);
void read_threads(TableScan&, CaptureBuilder&);
/// Appends all traffic of a capture.
engine::Result<void> write_traffic(const sqlite::Database&, std::span<const TrafficSource>);

/// Collects attributes and traffic from the rows of their tables: sources first.
class TrafficReader {
 public:
  explicit TrafficReader(const CaptureBuilder& builder)
      : ops_(builder.so_far().ops().size()), tensors_(builder.so_far().tensors().size()) {}
  void attribute(TableScan&);
  void source(TableScan&);
  void link(TableScan&);
  void note(TableScan&);
  void record(TableScan&);
  void cause(TableScan&);
  void strided(TableScan&);
  /// The file has no table of steps.
  void without_steps();
  void top_down(TableScan&);
  void hand_over(CaptureBuilder&);

 private:
  size_t ops_, tensors_;
  std::vector<engine::Attributes> attributes_;
  std::vector<TrafficSource> sources_;
};

}  // namespace profiler
