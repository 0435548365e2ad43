// SPDX-License-Identifier: Apache-2.0
// What the origin of a capture's times means for what is shown of them: Capture::time_origin() decides, this puts it
// into words and tables.
#pragma once

#include <string>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// The table with its times as the capture has them. On an emulated GPU measured columns become emulated. Rates
/// (FLOP/s, B/s) become unknown, with the reason in the column's help. Other tables are unchanged.
Table with_time_origin(Table, const Capture&);

/// Why amounts by time are unknown in this capture: "the null device computes nothing and moves nothing"; empty: they
/// are known.
std::string no_rates_reason(const Capture&);
/// The same as a sentence.
std::string no_rates_words(const Capture&);

}  // namespace profiler
