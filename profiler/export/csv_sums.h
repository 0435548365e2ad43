// SPDX-License-Identifier: Apache-2.0
// What our CSV formats share: sums by name as `nsys stats` prints them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/export/exporter.h"

namespace profiler {

/// Time (%),Total,Count,Avg,Med,Min,Max,StdDev,[style]Name of durations [ns] by name, largest total first. Sorts the durations.
void write_csv_sums(std::map<std::string, std::vector<double>>& groups, std::string_view style, ExportSink&);

}  // namespace profiler
