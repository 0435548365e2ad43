// SPDX-License-Identifier: Apache-2.0
// Numbers for people (three digits, SI prefixes) and tables as text, CSV and JSON.
#include "profiler/base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/check.h"
#include "engine/base/display_text.h"
#include "profiler/base/csv_text.h"
#include "profiler/base/row_origin.h"

namespace profiler {
namespace {

constexpr std::string_view kUnknownText = "–";
std::atomic<ByteUnits> chosen_byte_units = ByteUnits::decimal;

struct Unit {
  double size;
  const char* name;
};

/// A number of at most three significant digits below 1000. `exact_integer`: shown without decimals
/// ("4", not "4.00").
std::string three_digits(double value, bool exact_integer) {
  const double magnitude = std::abs(value);
  if (exact_integer && value == std::trunc(value)) return fmt::format("{:.0f}", value);
  if (magnitude < 0.9995) return fmt::format("{:.3g}", value);
  if (magnitude < 9.995) return fmt::format("{:.2f}", value);
  if (magnitude < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

/// The largest unit in which the rounded number is at least 1; below the smallest unit stays the
/// smallest.
template <size_t N>
std::string scaled(double value, const std::array<Unit, N>& units) {
  const double magnitude = std::abs(value);
  size_t chosen = 0;
  for (size_t i = 1; i < N; ++i) {
    // 999.6 would round to "1000": from 999.5 on a number belongs to the next unit
    if (magnitude >= 0.9995 * units[i].size) chosen = i;
  }
  const double in_unit = value / units[chosen].size;
  if (std::abs(in_unit) >= 999.5) return fmt::format("{:.3g} {}", in_unit, units[chosen].name);
  return fmt::format("{} {}", three_digits(in_unit, chosen == 0), units[chosen].name);
}

constexpr std::array<Unit, 6> kDurations{
    {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}, {3600e9, "h"}}};
constexpr std::array<Unit, 7> kBytes{
    {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}, {1e18, "EB"}}};
constexpr std::array<Unit, 7> kBytesPerS{
    {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}, {1e15, "PB/s"}, {1e18, "EB/s"}}};
constexpr std::array<Unit, 7> kFlops{
    {{1, "FLOP"}, {1e3, "kFLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}, {1e15, "PFLOP"}, {1e18, "EFLOP"}}};
constexpr std::array<Unit, 7> kFlopPerS{{{1, "FLOP/s"},
                                         {1e3, "kFLOP/s"},
                                         {1e6, "MFLOP/s"},
                                         {1e9, "GFLOP/s"},
                                         {1e12, "TFLOP/s"},
                                         {1e15, "PFLOP/s"},
                                         {1e18, "EFLOP/s"}}};
constexpr std::array<Unit, 7> kEnergy{
    {{1e-9, "nJ"}, {1e-6, "µJ"}, {1e-3, "mJ"}, {1, "J"}, {1e3, "kJ"}, {1e6, "MJ"}, {1e9, "GJ"}}};
constexpr std::array<Unit, 7> kCounts{
    {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}, {1e18, "E"}}};

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Seconds stay seconds up to 999 s, minutes up to 999 min: nobody reads "2.78 min" for 167 s.
std::string format_duration(double ns) {
  const double magnitude = std::abs(ns);
  if (magnitude < 999.5e9) {
    return scaled(ns, std::array<Unit, 4>{kDurations[0], kDurations[1], kDurations[2], kDurations[3]});
  }
  const Unit unit = magnitude < 999.5 * 60e9 ? kDurations[4] : kDurations[5];
  return scaled(ns / unit.size, std::array<Unit, 1>{{{1, unit.name}}});
}

/// "32 KiB", "1.25 MiB": sizes that come in powers of two stay round.
std::string format_capacity(double bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; std::abs(bytes) >= 1023.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return std::abs(bytes) >= 999.5 ? fmt::format("{:.0f} {}", bytes, kUnits[unit])
                                  : fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string format_percent(double ratio) {
  const double percent = 100 * ratio;
  const double magnitude = std::abs(percent);
  if (percent == 0) return "0 %";
  if (magnitude < 0.005) return percent > 0 ? "<0.01 %" : ">-0.01 %";
  if (magnitude < 0.995) return fmt::format("{:.2f} %", percent);
  if (magnitude < 9.95) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

/// At most three significant digits without trailing zeros and without an exponent below 10^6.
std::string plain(double value) {
  const double magnitude = std::abs(value);
  if (magnitude != 0 && (magnitude >= 999.5 && magnitude < 999.5e3)) {
    const double unit = magnitude < 9995 ? 10 : magnitude < 99950 ? 100 : 1000;
    return fmt::format("{:.0f}", std::round(value / unit) * unit);
  }
  return fmt::format("{:.3g}", value);
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Terminal columns, one per code point (our own texts hold no wide characters).
size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string pad(const std::string& text, size_t columns, bool right) {
  const std::string space(columns - std::min(columns, width(text)), ' ');
  return right ? space + text : text + space;
}

std::string csv_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_text(*text);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || !std::isfinite(*number)) return "";
  return fmt::format("{}", *number);
}

nlohmann::ordered_json json_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || !std::isfinite(*number)) return nullptr;
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (*number == std::trunc(*number) && std::abs(*number) <= kExactIntegers) {
    return static_cast<int64_t>(*number);
  }
  return *number;
}

}  // namespace

void set_byte_units(ByteUnits units) { chosen_byte_units = units; }
ByteUnits byte_units() { return chosen_byte_units; }

std::string format_quantity(double value, Quantity quantity) {
  if (std::isnan(value)) return std::string(kUnknownText);
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (value == 0) value = 0;  // not "-0"
  const bool binary = byte_units() == ByteUnits::binary;
  switch (quantity) {
    case Quantity::text:
      return value == std::trunc(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                  : plain(value);  // settings, as they were set
    case Quantity::count:  // an index or a stride rounded to "16.1 k" is another one
      return value == std::trunc(value) && std::abs(value) < 1e6 ? fmt::format("{:.0f}", value)
                                                                 : trimmed(scaled(value, kCounts));
    case Quantity::duration_ns: return format_duration(value);
    case Quantity::bytes: return binary ? format_capacity(value) : scaled(value, kBytes);
    case Quantity::flops: return scaled(value, kFlops);
    case Quantity::flop_per_s: return scaled(value, kFlopPerS);
    case Quantity::bytes_per_s: return binary ? format_capacity(value) + "/s" : scaled(value, kBytesPerS);
    case Quantity::ratio: return plain(value) + "x";
    case Quantity::percent_of: return format_percent(value);
    case Quantity::intensity: return plain(value) + " FLOP/B";
    case Quantity::energy_j: return scaled(value, kEnergy);
    case Quantity::capacity_bytes: return format_capacity(value);
  }
  CHECK(false && "unknown quantity");
  return {};
}

std::string format_cell(const Cell& cell, Quantity quantity) {
  if (const auto* text = std::get_if<std::string>(&cell)) return engine::display_line(*text);
  const auto* number = std::get_if<double>(&cell);
  return number == nullptr ? std::string(kUnknownText) : format_quantity(*number, quantity);
}

std::string_view row_origin_key(const Table& table, const Column& column) {
  constexpr std::string_view kKey = "bytes_origin";
  if (column.origin != Origin::modelled || column.quantity == Quantity::text) return {};
  for (const Column& c : table.columns) {
    if (c.key == kKey) return kKey;
    constexpr std::string_view kOrigin = "origin";  // "amplification_origin" of "amplification_ratio"
    if (c.key.ends_with(kOrigin) &&
        column.key.starts_with(std::string_view(c.key).substr(0, c.key.size() - kOrigin.size())))
      return c.key;
  }
  return {};
}

std::string_view origin_name(const Table& table, const Column& column) {
  return row_origin_key(table, column).empty() ? name(column.origin) : "per row";
}

std::string to_text(const Table& table, size_t max_rows) {
  const size_t shown = std::min(max_rows, table.rows.size());
  const size_t columns = table.columns.size();
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> titles, origins;
  bool any_origin = false;
  for (const Column& column : table.columns) {
    titles.push_back(engine::display_line(column.title));
    const bool tell = column.quantity != Quantity::text && column.origin != Origin::exact;
    origins.emplace_back(tell ? origin_name(table, column) : std::string_view{});
    any_origin = any_origin || tell;
  }
  lines.push_back(titles);
  if (any_origin) lines.push_back(origins);
  const size_t header_lines = lines.size();
  for (size_t r = 0; r < shown; ++r) {
    CHECK(table.rows[r].size() == columns);
    std::vector<std::string> line;
    for (size_t c = 0; c < columns; ++c) {
      line.push_back(format_cell(table.rows[r][c], table.columns[c].quantity));
    }
    lines.push_back(std::move(line));
  }
  std::vector<size_t> widths(columns, 0);
  for (const auto& line : lines) {
    for (size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], width(line[c]));
  }
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == header_lines) {
      std::string rule;
      for (size_t c = 0; c < columns; ++c) rule += (c > 0 ? "  " : "") + std::string(widths[c], '-');
      text += rule + "\n";
    }
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      line += (c > 0 ? "  " : "") + pad(lines[i][c], widths[c], table.columns[c].quantity != Quantity::text);
    }
    text += trimmed(line) + "\n";
  }
  if (shown < table.rows.size()) text += fmt::format("... and {} more rows\n", table.rows.size() - shown);
  return text;
}

std::string to_csv(const Table& table) {
  std::string text;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    text += (c > 0 ? "," : "") + csv_text(table.columns[c].key);
  }
  text += "\r\n";
  for (const auto& row : table.rows) {
    CHECK(row.size() == table.columns.size());
    for (size_t c = 0; c < row.size(); ++c) text += (c > 0 ? "," : "") + csv_cell(row[c]);
    text += "\r\n";
  }
  return text;
}

std::string to_json(const Table& table) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    CHECK(row.size() == table.columns.size());
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (size_t c = 0; c < row.size(); ++c) object[table.columns[c].key] = json_cell(row[c]);
    array.push_back(std::move(object));
  }
  // names with odd bytes must not throw: they come out as U+FFFD
  return engine::display_json(array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace profiler
