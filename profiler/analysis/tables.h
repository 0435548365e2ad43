// SPDX-License-Identifier: Apache-2.0
// The analyses as tables, by name: `analyze --table` and *Show data*.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/ops_table.h"
#include "profiler/analysis/scope.h"
#include "profiler/model/table.h"

namespace profiler {

Table summary_table(const Analyzed&);
Table traffic_table(const Analyzed&, const Scope&);
/// One row per op and link: compulsory bytes, I/O lower bound, modelled, simulated and measured bytes, hits and misses, layer condition.
Table cache_table(const Analyzed&);
/// Simulated bytes by op, link and tensor.
Table cache_tensors_table(const Analyzed&);
Table roofline_table(const Analyzed&);
Table memory_table(const Analyzed&);
/// A table by name; fails (usage) naming the nearest valid name.
engine::Result<Table> table_by_name(const Analyzed&, const std::string& table_name, OpsBy);
const std::vector<std::string>& table_names();
/// Whether there is a table of that name, found out before a capture is read; fails as table_by_name() does.
engine::Result<void> check_table_name(const std::string& table_name);

}  // namespace profiler
