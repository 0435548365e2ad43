// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting and filtering by permutation (no proxy model: 1e6 rows sort in the time of one std::stable_sort).
#include "views/widgets/table_order.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/display_text.h"

namespace views {
namespace {

using profiler::Quantity;

struct Unit {
  double scale;
  const char* name;
};
constexpr Unit kDuration[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
constexpr Unit kBytes[] = {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}};
constexpr Unit kBytesPerS[] = {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}};
constexpr Unit kFlops[] = {{1, "FLOP"}, {1e3, "kFLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}};
constexpr Unit kFlopPerS[] = {{1, "FLOP/s"}, {1e3, "kFLOP/s"}, {1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}};
constexpr Unit kPercent[] = {{0.01, "%"}};
constexpr Unit kRatio[] = {{1, "x"}};
constexpr Unit kIntensity[] = {{1, "FLOP/B"}};
constexpr Unit kEnergy[] = {{1e-6, "µJ"}, {1e-3, "mJ"}, {1, "J"}, {1e3, "kJ"}};
constexpr Unit kCapacity[] = {
    {1, "B"}, {1024.0, "KiB"}, {1048576.0, "MiB"}, {1073741824.0, "GiB"}, {1099511627776.0, "TiB"}};
constexpr Unit kBinaryPerS[] = {
    {1, "B/s"}, {1024.0, "KiB/s"}, {1048576.0, "MiB/s"}, {1073741824.0, "GiB/s"}, {1099511627776.0, "TiB/s"}};
constexpr Unit kPlain[] = {{1, ""}};

std::span<const Unit> units_of(Quantity quantity) {
  const bool binary = profiler::byte_units() == profiler::ByteUnits::binary;
  switch (quantity) {
    case Quantity::duration_ns: return kDuration;
    case Quantity::bytes: return binary ? std::span<const Unit>(kCapacity) : kBytes;
    case Quantity::bytes_per_s: return binary ? std::span<const Unit>(kBinaryPerS) : kBytesPerS;
    case Quantity::flops: return kFlops;
    case Quantity::flop_per_s: return kFlopPerS;
    case Quantity::percent_of: return kPercent;
    case Quantity::ratio: return kRatio;
    case Quantity::intensity: return kIntensity;
    case Quantity::energy_j: return kEnergy;
    case Quantity::capacity_bytes: return kCapacity;
    case Quantity::text:
    case Quantity::count: break;
  }
  return kPlain;
}

const double* number(const profiler::Cell& cell) {
  const double* value = std::get_if<double>(&cell);
  return value && std::isfinite(*value) ? value : nullptr;
}

/// -1, 0, 1; texts before numbers, so that mixed columns have an order too.
int compare(const profiler::Cell& a, const profiler::Cell& b) {
  const auto *ta = std::get_if<std::string>(&a), *tb = std::get_if<std::string>(&b);
  if (ta && tb) return ta->compare(*tb);
  if (ta || tb) return ta ? -1 : 1;
  const double x = *number(a), y = *number(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/// Columns read against each other within a row: "before_ns", "after_ns", "difference_ns". Itself among them.
std::vector<size_t> columns_alike(const profiler::Table& table, size_t column) {
  constexpr std::array<std::string_view, 3> kSides{"before_", "after_", "difference_"};
  const auto rest_of = [&](const std::string& key) {
    for (const std::string_view side : kSides) {
      if (key.starts_with(side)) return std::string_view(key).substr(side.size());
    }
    return std::string_view();
  };
  const std::string_view rest = rest_of(table.columns[column].key);
  std::vector<size_t> alike;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool same = !rest.empty() && table.columns[c].quantity == table.columns[column].quantity &&
                      rest_of(table.columns[c].key) == rest;
    if (same || c == column) alike.push_back(c);
  }
  return alike;
}

}  // namespace

TableOrder::TableOrder(const profiler::Table& table) : table_(table) {
  texts_.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    QString all;
    for (const auto& cell : row) {
      if (const auto* text = std::get_if<std::string>(&cell))
        all += QString::fromStdString(*text).toLower() + QLatin1Char('\n');
    }
    texts_.push_back(std::move(all));
  }
}

std::vector<uint32_t> TableOrder::rows(int column, bool descending, const QString& filter) const {
  const QStringList words = filter.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < texts_.size(); ++i) {
    if (std::all_of(words.begin(), words.end(), [&](const QString& word) { return texts_[i].contains(word); }))
      out.push_back(i);
  }
  if (column < 0 || static_cast<size_t>(column) >= table_.columns.size()) return out;
  const auto c = static_cast<size_t>(column);
  const auto known_end =
      std::stable_partition(out.begin(), out.end(), [&](uint32_t i) { return !is_unknown(table_.rows[i][c]); });
  std::stable_sort(out.begin(), known_end, [&](uint32_t a, uint32_t b) {
    const int order = compare(table_.rows[a][c], table_.rows[b][c]);
    return descending ? order > 0 : order < 0;
  });
  return out;
}

ColumnUnit column_unit(const profiler::Table& table, size_t column, bool small_counts) {
  ColumnUnit out;
  const Quantity quantity = table.columns[column].quantity;
  out.quantity = quantity;
  if (quantity == Quantity::text) return out;
  std::vector<double> sizes;
  for (const size_t alike : columns_alike(table, column)) {
    for (const auto& row : table.rows) {
      const double* value = number(row[alike]);
      if (value && *value != 0) sizes.push_back(std::abs(*value));
    }
  }
  // The unit suits the upper quarter: the large numbers are what a table of ops is read for.
  double typical = 0;
  if (!sizes.empty()) {
    const auto upper = sizes.begin() + (small_counts ? 0 : static_cast<std::ptrdiff_t>(sizes.size() * 3 / 4));
    std::nth_element(sizes.begin(), upper, sizes.end());
    typical = *upper;
  }
  const auto units = units_of(quantity);
  const Unit* chosen = &units.front();
  for (const Unit& unit : units) {
    if (typical >= unit.scale) chosen = &unit;
  }
  out.scale = chosen->scale;
  out.unit = QString::fromUtf8(chosen->name);
  const bool whole =
      std::all_of(sizes.begin(), sizes.end(), [&](double v) { return v / out.scale == std::floor(v / out.scale); });
  if (!whole && typical > 0) {
    out.decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(typical / out.scale))), 0, 3);
    if (quantity == Quantity::percent_of || small_counts) out.decimals = std::min(out.decimals, 1);
  }
  return out;
}

bool is_unknown(const profiler::Cell& cell) { return !std::holds_alternative<std::string>(cell) && !number(cell); }

QString format_in(const profiler::Cell& cell, const ColumnUnit& unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) return QString::fromStdString(engine::display_line(*text));
  const double* value = number(cell);
  if (!value) return QStringLiteral("–");
  const double scaled = *value / unit.scale, least = std::pow(10.0, -unit.decimals);
  static const QLocale locale(QLocale::English);
  if (scaled != 0 && std::abs(scaled) < least / 2 && unit.scale > units_of(unit.quantity).front().scale)
    return QString::fromStdString(profiler::format_quantity(*value, unit.quantity));
  if (scaled != 0 && std::abs(scaled) < least / 2)
    return QStringLiteral("<") + locale.toString(least, 'f', unit.decimals);
  return locale.toString(scaled, 'f', unit.decimals);
}

QString translated(const std::string& english) { return QCoreApplication::translate("tensortide", english.c_str()); }

QString column_title(const profiler::Column& column, const ColumnUnit& unit) {
  const QString title = translated(column.title);
  return unit.unit.isEmpty() ? title : QStringLiteral("%1 [%2]").arg(title, unit.unit);
}

}  // namespace views
