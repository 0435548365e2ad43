// SPDX-License-Identifier: Apache-2.0
// Traces of other tools where a verb takes a capture.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"
#include "profiler/import/privacy.h"
#include "profiler/machine/gpu_data_sheet.h"

namespace app::cli {

struct ForeignTraces {
  std::vector<std::filesystem::path> files, graphs = {};  ///< ImportRequest's
  std::string format = {};                                ///< empty: by content
  std::string output = {}, progress = "text";             ///< "json": lines on standard error
  profiler::Privacy privacy = {};
  std::optional<profiler::Machine> machine = {};
  const profiler::GpuDataSheet* sheet = nullptr;
};
/// Reads foreign traces; Ctrl-C gives up.
engine::Result<std::shared_ptr<const profiler::Capture>> read_foreign(ForeignTraces);
/// What --roofs asks for, into `traces`; empty: nothing. "here": this machine's, as the last probe measured them. Else
/// the name of a GPU's data sheet.
engine::Result<void> take_roofs(const std::string& roofs, ForeignTraces& traces);

/// report(), or with `progress` "json" as a line of progress; the exit code.
int report_error(const engine::Error&, const std::string& progress);

/// A capture of ours, or a foreign trace read on the spot, with those roofs. A capture has its own: refused.
engine::Result<std::shared_ptr<const profiler::Capture>> open_any(const std::filesystem::path& file,
                                                                  const std::string& roofs = {},
                                                                  std::vector<std::filesystem::path> graphs = {});

}  // namespace app::cli
