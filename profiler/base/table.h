// SPDX-License-Identifier: Apache-2.0
// Table: typed columns with units and origins; what every analysis hands to CLI, views and exporters alike.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "profiler/base/origin.h"

namespace profiler {

/// What a column's numbers mean, hence how they are printed. bytes: of tensors and traffic, decimal (kB), as rates are;
/// capacity_bytes: of caches and memories, and what is compared with them; binary (KiB).
enum class Quantity : uint8_t {
  text,
  count,
  duration_ns,
  bytes,
  flops,
  flop_per_s,
  bytes_per_s,
  ratio,
  percent_of,
  intensity,
  energy_j,
  capacity_bytes
};

/// How `bytes` and `bytes_per_s` are written: 10^6 as MB or 2^20 as MiB; rates alike. Of the whole process, as a
/// locale is: it changes texts, no value, no key and no export. Decimal until it is set; any thread may read it.
enum class ByteUnits : uint8_t { decimal, binary };
void set_byte_units(ByteUnits);
ByteUnits byte_units();

struct Column {
  std::string key;    ///< JSON key, ends in its unit: "time_ns", "dram_bytes", "roof_ratio"
  std::string title;  ///< on screen: "Time"
  Quantity quantity = Quantity::text;
  Origin origin = Origin::exact;
  std::string help;  ///< definition and formula, for the tooltip
};

/// A cell: unknown (shown as an en dash, JSON null), text, or a number in base units (ns, bytes, FLOP, B/s).
using Cell = std::variant<std::monostate, std::string, double>;

struct Table {
  std::string name;  ///< "ops"
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  /// Optional: one op id per row, so that a view can follow the selection.
  std::vector<uint32_t> row_ops;
};

/// "1.84 s", "14.2 GB", "213 GFLOP/s", "61 %", "2.3x", "1.25 MiB": at most three significant digits; en dash for
/// unknown/NaN.
std::string format_cell(const Cell&, Quantity);
std::string format_quantity(double value, Quantity);

/// Aligned text with a header and units, CSV (RFC 4180, keys as header, base units), JSON array of objects (base units,
/// null for unknown).
std::string to_text(const Table&, size_t max_rows = SIZE_MAX);
std::string to_csv(const Table&);
std::string to_json(const Table&);

}  // namespace profiler
