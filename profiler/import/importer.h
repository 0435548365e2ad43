// SPDX-License-Identifier: Apache-2.0
// Importer: one format of imported traces. Each is one file here and one line in catalog.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/import/byte_stream.h"
#include "profiler/import/trace_builder.h"
#include "profiler/machine/gpu_data_sheet.h"

namespace profiler {

struct Importer {
  const char* name;   ///< "kineto": also what --format calls it
  const char* title;  ///< "PyTorch (Kineto) trace"
  const char* help;   ///< which programs write it
  /// How sure the first bytes (unpacked) make: 0 no, higher wins.
  int (*confidence)(std::string_view first_bytes);
  /// Reads one file between begin_rank() and end_rank(). Refused: nothing of it can be used.
  engine::Result<void> (*read)(const std::filesystem::path&, TraceBuilder&, const ImportControl&);
};

std::span<const Importer> importers();

// One function per format.
Importer kineto_importer();
Importer chrome_importer();
Importer nsys_importer();
Importer onnxruntime_importer();
Importer speedscope_importer();
Importer onednn_importer();
Importer memory_snapshot_importer();
Importer perfetto_importer();
Importer xplane_importer();
Importer rocpd_importer();
Importer ncu_importer();
Importer proton_importer();
Importer chakra_importer();

/// Which importer takes a file; refused (naming what it could be) when none does.
engine::Result<Importer> importer_for(const std::filesystem::path& file);
/// Whether a file looks like a trace of another tool rather than a capture of ours.
bool is_foreign_trace(const std::filesystem::path& file);

struct ImportRequest {
  std::vector<std::filesystem::path> files;  ///< several: one per rank, in this order
  std::string format;                        ///< empty: by content
  std::string command;                       ///< kept in the capture
  ImportControl control;
  Privacy privacy = {};  ///< what of its words is kept
  /// Traces of the capture of graphs that `files` replay: what these launch gets the ops and shapes of it.
  std::vector<std::filesystem::path> graphs = {};
  /// The machine that the ops ran on, as the user says; its roofs and caches become the capture's. A trace with work of
  /// a GPU is refused: its roofs are not the processor's.
  std::optional<Machine> machine = {};
  /// What its GPUs are, as the user says; their roofs are those of this data sheet. A trace without work of a GPU is
  /// refused, and one that contradicts the sheet.
  const GpuDataSheet* sheet = nullptr;
};
/// One capture of all files. Times are the trace's own; Notes of its data quality list what was repaired, left out, or
/// is unknown.
engine::Result<std::shared_ptr<const Capture>> import_traces(const ImportRequest&);

}  // namespace profiler
