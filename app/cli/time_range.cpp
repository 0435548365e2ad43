// SPDX-License-Identifier: Apache-2.0
// Parts of a capture's time.
#include "app/cli/time_range.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/base/table.h"

namespace app::cli {

using engine::Result;
using engine::usage_error;

namespace {

/// "12.5ms" -> 12500000; bare numbers are ns. Nothing for what is no time.
std::optional<int64_t> nanoseconds(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1}};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& [name, factor] : units) {
    if (error == std::errc() && unit == name && std::abs(value * factor) < 1e18)
      return static_cast<int64_t>(value * factor);
  }
  return std::nullopt;
}

/// Whether some span but a step's lies in the range.
bool touched(const profiler::Capture& capture, const profiler::ExportRange& range) {
  const profiler::ActivityColumns& a = capture.activities();
  for (size_t row = 0; row < a.size(); ++row) {
    if (a.kind[row] != profiler::ActivityKind::step && range.touches(a.start_ns[row], a.duration_ns[row])) return true;
  }
  return false;
}

}  // namespace

Result<profiler::ExportRange> parse_range(const std::string& text, const profiler::Capture& capture) {
  profiler::ExportRange range;
  if (text.empty()) return range;
  const int64_t begin_ns = capture.begin_ns(), end_ns = capture.end_ns();
  const size_t colon = text.find(':'), at = colon != text.npos ? colon : text.find("..");
  const std::string from = text.substr(0, at),
                    to = at == text.npos ? "" : text.substr(at + (colon != text.npos ? 1 : 2));
  const auto first = from.empty() ? std::optional<int64_t>(0) : nanoseconds(from);
  const auto last = to.empty() ? std::optional<int64_t>(0) : nanoseconds(to);
  if (at == text.npos || !first || !last || (!to.empty() && *last <= *first)) {
    return usage_error(fmt::format(
        "[--range] \"{}\" is no range START:END such as 10ms:20ms (units: ns, us, ms, s; since the first span)", text));
  }
  if (!from.empty() && begin_ns + *first > end_ns) {
    return engine::refused_error(fmt::format(
        "[--range] {} begins behind the last span: the capture lasts {}", text,
        profiler::format_quantity(static_cast<double>(end_ns - begin_ns), profiler::Quantity::duration_ns)));
  }
  if (!from.empty()) range.begin_ns = begin_ns + *first;
  if (!to.empty()) range.end_ns = begin_ns + *last;
  if (!touched(capture, range)) {
    return engine::refused_error(fmt::format(
        "[--range] {}: nothing lies in it. Numbers without a unit are ns; the capture lasts {}", text,
        profiler::format_quantity(static_cast<double>(end_ns - begin_ns), profiler::Quantity::duration_ns)));
  }
  return range;
}

}  // namespace app::cli
