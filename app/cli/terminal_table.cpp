// SPDX-License-Identifier: Apache-2.0
// Which columns stay when not all of them have room.
#include "app/cli/terminal_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "profiler/base/row_origin.h"

namespace app::cli {
namespace {

using profiler::Column;
using profiler::Table;

/// What a reader misses least, first; keys of several tables. Columns that are not named go after these, the rightmost
/// first.
constexpr std::array<std::string_view, 23> kLeastNeeded{"why",
                                                        "phase",
                                                        "layer",
                                                        "kernel",
                                                        "source",
                                                        "meaning",
                                                        "help",
                                                        "cause",
                                                        "type",
                                                        "l1_bytes",
                                                        "l2_bytes",
                                                        "simulated_share_ratio",
                                                        "hits_count",
                                                        "misses_count",
                                                        "next_speedup_ratio",
                                                        "intensity_flop_per_byte",
                                                        "l3_bytes",
                                                        "runner_up",
                                                        "flops",
                                                        "amplification_ratio",
                                                        "compulsory_bytes",
                                                        "calls_count",
                                                        "flop_per_s"};
/// The first column, which says what a row is about, has this part of the line at most, and never less than so many
/// characters.
constexpr size_t kNamePart = 3, kLeastName = 16;
constexpr size_t kBetween = 2;  ///< spaces between columns, see to_text()

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }
size_t width(std::string_view text) { return static_cast<size_t>(std::ranges::count_if(text, starts_character)); }

/// "layer3.0.downsa…orm_training".
std::string shortened(const std::string& text, size_t columns) {
  if (width(text) <= columns) return text;
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if (starts_character(text[i])) starts.push_back(i);
  }
  const size_t head = columns / 2, tail = columns - 1 - head;
  return text.substr(0, starts[head]) + "…" + text.substr(starts[starts.size() - tail]);
}

std::vector<size_t> widths_of(const Table& table) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    size_t widest =
        std::max(width(column.title),
                 column.quantity == profiler::Quantity::text ? 0 : width(profiler::origin_name(table, column)));
    for (const auto& row : table.rows) widest = std::max(widest, width(profiler::format_cell(row[c], column.quantity)));
    widths.push_back(widest);
  }
  return widths;
}

/// Columns in the order in which they go. The first one stays, and so does the one that says how each row's bytes are
/// known: figures do not stand without their origin.
std::vector<size_t> order_of_leaving(const Table& table) {
  std::vector<size_t> order;
  for (const std::string_view key : kLeastNeeded) {
    for (size_t c = 1; c < table.columns.size(); ++c) {
      if (table.columns[c].key == key) order.push_back(c);
    }
  }
  for (size_t c = table.columns.size(); c-- > 1;) {
    const bool stays = table.columns[c].key == "bytes_origin";
    if (!stays && std::ranges::find(order, c) == order.end()) order.push_back(c);
  }
  return order;
}

}  // namespace

size_t terminal_columns() {
  winsize size{};
  return isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t page_columns() {
  const size_t columns = terminal_columns();
  return columns == 0 ? 80 : std::clamp(columns, size_t{40}, size_t{100});
}

std::string fitted_text(const Table& table, size_t columns) {
  std::vector<size_t> widths = widths_of(table);
  const auto line = [&](const std::vector<bool>& kept) {
    size_t sum = 0;
    for (size_t c = 0; c < widths.size(); ++c) sum += kept[c] ? widths[c] + kBetween : 0;
    return sum == 0 ? 0 : sum - kBetween;
  };
  std::vector<bool> kept(table.columns.size(), true);
  if (table.columns.empty() || line(kept) <= columns) return to_text(table);
  Table fitted = table;
  if (table.columns.front().quantity == profiler::Quantity::text) {
    const size_t name = std::max({kLeastName, columns / kNamePart, width(table.columns.front().title)});
    for (auto& row : fitted.rows) {
      if (auto* text = std::get_if<std::string>(&row.front())) *text = shortened(*text, name);
    }
    widths.front() = std::min(widths.front(), name);
  }
  // Names of kernels can be longer than a line; without them a row of a later column's names says nothing.
  const size_t named = std::max(kLeastName, columns / kNamePart);
  for (size_t c = 1; c < table.columns.size(); ++c) {
    if (table.columns[c].key != "name" || widths[c] <= named) continue;
    for (auto& row : fitted.rows) {
      if (auto* text = std::get_if<std::string>(&row[c])) *text = shortened(*text, named);
    }
    widths[c] = std::max(named, width(table.columns[c].title));
  }
  const std::vector<size_t> order = order_of_leaving(table);
  size_t gone = 0;
  for (; gone < order.size() && line(kept) > columns; ++gone) kept[order[gone]] = false;
  // The widest of those that left may have made room for others.
  for (size_t i = gone; i-- > 0;) {
    kept[order[i]] = true;
    if (line(kept) > columns) kept[order[i]] = false;
  }
  std::vector<std::string> left_out;
  for (size_t c = 0; c < kept.size(); ++c) {
    if (!kept[c]) left_out.push_back(table.columns[c].title);
  }
  if (left_out.empty()) return to_text(fitted);
  Table shown{.name = table.name, .columns = {}, .rows = {}, .row_ops = {}};
  for (size_t c = 0; c < kept.size(); ++c) {
    if (kept[c]) shown.columns.push_back(fitted.columns[c]);
  }
  for (const auto& row : fitted.rows) {
    std::vector<profiler::Cell>& to = shown.rows.emplace_back();
    for (size_t c = 0; c < kept.size(); ++c) {
      if (kept[c]) to.push_back(row[c]);
    }
  }
  return to_text(shown) +
         fmt::format(
             "Left out for want of room: {}. All columns: `| less -S`, a wider terminal, --format csv or json.\n",
             fmt::join(left_out, ", "));
}

std::string terminal_text(const Table& table) {
  const size_t columns = terminal_columns();
  if (columns > 0) return fitted_text(table, columns);
  // In a pipe all columns stay, but names of kernels can have a thousand characters: --format csv and json have them.
  constexpr size_t kLongestName = 100;
  Table piped = table;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key != "name" && table.columns[c].key != "kernel") continue;
    for (auto& row : piped.rows) {
      if (auto* text = std::get_if<std::string>(&row[c])) *text = shortened(*text, kLongestName);
    }
  }
  return to_text(piped);
}

}  // namespace app::cli
