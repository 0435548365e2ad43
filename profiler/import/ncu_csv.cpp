// SPDX-License-Identifier: Apache-2.0
// Nsight Compute's CSV (`ncu --csv --page raw` or `--page details`): kernels with their metrics, without a timeline.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "profiler/import/importer.h"
#include "profiler/import/whole_text.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;

/// Fields of one row of CSV; `at` goes behind it. Quotes may hold commas, line ends and doubled quotes.
std::vector<std::string> csv_row(std::string_view text, size_t& at) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '"' && at + 1 < text.size() && text[at + 1] == '"') fields.back() += '"', ++at;
      else if (c == '"') quoted = false;
      else fields.back() += c;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// "1,234.5" -> 1234.5; nothing: no number. Of a file whose decimals have a comma: "1.234,5".
std::optional<double> figure(std::string text, bool comma = false) {
  std::erase(text, comma ? '.' : ',');
  if (comma) std::ranges::replace(text, ',', '.');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

/// Whether the figures of a column have decimals behind a comma, as ncu writes them in some languages: one of them can
/// be read no other way.
bool decimals_have_commas(const std::vector<std::string>& figures) {
  for (const std::string& text : figures) {
    const size_t point = text.rfind('.'), comma = text.rfind(',');
    if (text.empty() || text.find_first_not_of("0123456789.,-") != text.npos) continue;
    if (point != text.npos && comma != text.npos) return comma > point;
    const size_t mark = point != text.npos ? point : comma;
    if (mark == text.npos) continue;
    const bool groups = text.size() - mark == 4 && mark > 0 && mark <= 3;  // "1.234": read either way
    const bool several = text.find(text[mark]) != mark;                    // "1.234.567": groups
    if (several) return text[mark] == '.';
    if (!groups) return text[mark] == ',';
  }
  return false;
}

/// Nanoseconds of one of ncu's units; nothing: no time.
std::optional<double> unit_of_time(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"nsecond", 1},  {"ns", 1},        {"usecond", 1e3},
                                                            {"us", 1e3},     {"msecond", 1e6}, {"ms", 1e6},
                                                            {"second", 1e9}, {"s", 1e9}};
  for (const auto& [name, ns] : kUnits) {
    if (name == unit) return ns;
  }
  return {};
}

/// "(64, 2, 1)" -> {64, 2, 1}
std::array<int32_t, 3> extents_of(std::string_view text) {
  std::array<int32_t, 3> out{-1, -1, -1};
  size_t k = 0;
  for (const char* at = text.data(); at < text.data() + text.size() && k < 3;) {
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), out[k]);
    if (error == std::errc()) ++k, at = end;
    else ++at;
  }
  const bool whole = k == 3 && std::ranges::all_of(out, [](int32_t extent) { return extent >= 0; });
  return whole ? out : std::array<int32_t, 3>{-1, -1, -1};
}

/// One launch: what its columns or rows say.
struct NcuLaunch {
  std::string name, grid, block, stream, device;
  std::map<std::string, std::pair<std::string, std::string>> metrics;  ///< value and unit
};

class NcuReader {
 public:
  NcuReader(TraceBuilder& builder, const std::filesystem::path& file) : b_(builder), file_(file) {}

  Result<void> take(std::string_view text, const ImportControl& control) {
    size_t at = text.find("\"ID\"");
    if (at == text.npos)
      return refused_error(fmt::format("{}: has no row that begins with \"ID\"", sqlite::shown(file_)));
    const std::vector<std::string> header = csv_row(text, at);
    for (size_t i = 0; i < header.size(); ++i) column_.try_emplace(header[i], i);
    if (!column_.contains("Kernel Name"))
      return refused_error(fmt::format("{}: has no column \"Kernel Name\"", sqlite::shown(file_)));
    const bool details = column_.contains("Metric Name") && column_.contains("Metric Value");
    if (!details && column_.contains("Metric Name"))
      return refused_error(fmt::format("{}: sums up all launches of a kernel: write it again without --print-summary",
                                       sqlite::shown(file_)));
    std::vector<std::string> units;
    if (!details) units = csv_row(text, at);
    find_decimals(text.substr(at), header, details);
    std::string last;
    NcuLaunch launch;
    while (at < text.size()) {
      const std::vector<std::string> row = csv_row(text, at);
      if (control.stopped()) return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file_)));
      if (row.size() != header.size()) {
        if (row.size() > 1)
          b_.findings().add(Finding::bad_row, fmt::format("{} fields instead of {}", row.size(), header.size()));
        continue;
      }
      const std::string id = of(row, "Process ID") + " " + of(row, "ID");
      if (details && id == last) {
        launch.metrics[of(row, "Metric Name")] = {of(row, "Metric Value"), of(row, "Metric Unit")};
        continue;
      }
      if (!last.empty()) add(launch);
      last = id;
      launch = {of(row, "Kernel Name"), of(row, "Grid Size"), of(row, "Block Size"),
                of(row, "Stream"),      of(row, "Device"),    {}};
      if (details) launch.metrics[of(row, "Metric Name")] = {of(row, "Metric Value"), of(row, "Metric Unit")};
      for (size_t i = 0; !details && i < row.size(); ++i)
        launch.metrics[header[i]] = {row[i], i < units.size() ? units[i] : ""};
    }
    if (!last.empty()) add(launch);
    builder_note();
    return {};
  }

 private:
  void find_decimals(std::string_view rows, const std::vector<std::string>& header, bool details) {
    std::vector<std::string> figures;
    for (size_t at = 0; at < rows.size() && figures.size() < 100'000;) {
      const std::vector<std::string> row = csv_row(rows, at);
      if (row.size() != header.size()) continue;
      if (details) figures.push_back(of(row, "Metric Value"));
      for (size_t i = 0; !details && i < row.size(); ++i) {
        if (header[i].find("__") != header[i].npos) figures.push_back(row[i]);  // metrics; all else has points
      }
    }
    comma_ = decimals_have_commas(figures);
  }

  const std::string& of(const std::vector<std::string>& row, const char* column) const {
    static const std::string kNothing;
    const auto at = column_.find(column);
    return at == column_.end() || at->second >= row.size() ? kNothing : row[at->second];
  }

  void add(const NcuLaunch& launch) {
    std::optional<double> ns;
    for (const char* name : {"gpu__time_duration.sum", "Duration", "gpu__time_duration.avg"}) {
      const auto metric = launch.metrics.find(name);
      if (metric == launch.metrics.end() || ns) continue;
      const auto value = figure(metric->second.first, comma_);
      const auto unit = unit_of_time(metric->second.second);
      if (value && unit) ns = *value * *unit;
    }
    if (!ns || !(*ns >= 0) || *ns > 1e18 || !is_time(now_ns_ + static_cast<int64_t>(*ns)))
      return b_.findings().add(Finding::no_time, "a kernel without gpu__time_duration.sum");
    const auto number = [this](const std::string& text) {
      const auto value = figure(text, comma_);
      return value && *value >= 0 && *value < 1e6 ? static_cast<int32_t>(*value) : kUnknownFigure;
    };
    KernelRecord k{
        .place = {.device = number(launch.device), .context = kUnknownFigure, .stream = number(launch.stream)}};
    k.grid = extents_of(launch.grid), k.block = extents_of(launch.block);
    if (const auto registers = launch.metrics.find("launch__registers_per_thread"); registers != launch.metrics.end())
      k.registers_per_thread = number(registers->second.first);
    Activity a{.start_ns = now_ns_, .duration_ns = static_cast<int64_t>(std::llround(*ns))};
    a.name = b_.intern(launch.name);
    a.track = b_.stream_lane(k.place.device, k.place.stream);
    b_.add(a, k);
    for (const auto& [name, metric] : launch.metrics) {
      const auto value = figure(metric.first, comma_);
      const bool counts = name.find("__") != name.npos || name == "Duration";
      if (value && counts && series_.size() < 4096) {
        series_.insert(name);
        if (series_.contains(name)) b_.add_counter_value(name, "Nsight Compute", metric.second, now_ns_, *value);
      }
    }
    now_ns_ += a.duration_ns;
    ++launches_;
  }

  void builder_note() {
    b_.honesty().notes.push_back(fmt::format(
        "Import: Nsight Compute measures kernels one by one, at clocks that it fixes. The {} kernels are one "
        "behind the other. Times between them, calls and copies are unknown.",
        launches_));
  }

  TraceBuilder& b_;
  const std::filesystem::path& file_;
  std::map<std::string, size_t> column_;
  std::set<std::string> series_;
  int64_t now_ns_ = 0, launches_ = 0;
  bool comma_ = false;  // decimals have one
};

int confidence_of_ncu(std::string_view first) {
  const size_t at = first.find("\"ID\",\"Process ID\"");
  return at != first.npos && (at == 0 || first[at - 1] == '\n') && first.find("\"Kernel Name\"") != first.npos ? 5 : 0;
}

Result<void> read_ncu(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  const Result<std::string> text = whole_text(file, control);
  if (!text) return text.error();
  return NcuReader(builder, file).take(*text, control);
}

}  // namespace

Importer ncu_importer() {
  return {.name = "ncu",
          .title = "Nsight Compute CSV",
          .help = "`ncu --csv`, page raw or details: kernels with metrics, no timeline",
          .confidence = confidence_of_ncu,
          .read = read_ncu};
}

}  // namespace profiler
