// SPDX-License-Identifier: Apache-2.0
// --range: a part of a capture's time, as it is written on the command line.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"
#include "profiler/export/exporter.h"

namespace app::cli {

/// "10ms:20ms" or "10ms..20ms" since the capture's first instant; either end may be left out. Units: ns, us, ms, s;
/// without one, ns. Empty text: all of the time. Refused: what is no range, and a range without a span in it.
engine::Result<profiler::ExportRange> parse_range(const std::string& text, const profiler::Capture&);

}  // namespace app::cli
