// SPDX-License-Identifier: Apache-2.0
// Where a column's numbers are known in different ways, which column says how, row by row.
#pragma once

#include <string_view>

#include "profiler/base/table.h"

namespace profiler {

/// Key of the column with the origin of this column's numbers, row by row. Empty: Column::origin holds for all rows. In
/// a table with "bytes_origin" modelled columns have the origin of the row's bytes: measured, simulated or modelled
/// (Roofline's intensity); "amplification_origin" is of "amplification_ratio" alone.
std::string_view row_origin_key(const Table&, const Column&);

/// "measured", ...; "per row" where each row says so.
std::string_view origin_name(const Table&, const Column&);

}  // namespace profiler
