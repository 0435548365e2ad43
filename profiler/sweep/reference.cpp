// SPDX-License-Identifier: Apache-2.0
// Table 7: reading, matching, ranges.
#include "profiler/sweep/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/check.h"
#include "profiler/base/unknown.h"
#include "profiler/sweep/setting.h"
#include "reference_shi2016_table7.h"  // generated from resources/references

namespace profiler {
namespace {

constexpr size_t kFields = 7;

/// Fields of one line; a field in quotes keeps its commas, and doubled quotes stand for one (RFC 4180).
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

template <class T>
bool number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

CellQuality quality_of(const ReferenceCell& cell) {
  const auto says = [&](std::string_view words) { return cell.note.find(words) != std::string::npos; };
  if (std::isnan(cell.seconds)) return CellQuality::missing;
  if (says("ocr-uncertain")) return CellQuality::uncertain;
  if (says("workload-mismatch") || says("input-bound")) return CellQuality::mismatch;
  return CellQuality::good;
}

engine::Result<ReferenceCell> cell_of(const std::vector<std::string>& fields, size_t line) {
  const auto wrong = [&](const char* field, const std::string& value) {
    return engine::refused_error(fmt::format("line {}: {}: \"{}\" is not what this field holds", line, field, value));
  };
  if (fields.size() != kFields)
    return engine::refused_error(fmt::format("line {}: {} fields, {} are needed", line, fields.size(), kFields));
  ReferenceCell cell{
      .network = fields[0], .tool = fields[2], .platform = fields[3], .seconds = kUnknown, .note = fields[6]};
  if (!number(fields[1], cell.minibatch) || cell.minibatch <= 0) return wrong("minibatch", fields[1]);
  if (!fields[4].empty() && (!number(fields[4], cell.threads) || cell.threads <= 0)) return wrong("threads", fields[4]);
  if (!fields[5].empty() && (!number(fields[5], cell.seconds) || !(cell.seconds > 0) || !std::isfinite(cell.seconds)))
    return wrong("seconds", fields[5]);
  cell.quality = quality_of(cell);
  return cell;
}

/// Which of our workloads is which network.
struct Named {
  std::string_view workload, preset, network;
};
constexpr std::array<Named, 7> kNetworks{{{"mlp", "fcn-s", "FCN-S"},
                                          {"alexnet", "alexnet-s", "AlexNet-S"},
                                          {"resnet50", "shi2016", "ResNet-50"},
                                          {"mlp", "fcn-r", "FCN-R"},
                                          {"alexnet", "alexnet-r", "AlexNet-R"},
                                          {"resnet56", "shi2016", "ResNet-56"},
                                          {"lstm", "shi2016", "LSTM"}}};

struct Platform {
  std::string name;
  int threads;
  auto operator<=>(const Platform&) const = default;
};

std::string words_of(const Platform& p) {
  return p.threads == 0 ? p.name : fmt::format("{}, {} thread{}", p.name, p.threads, p.threads == 1 ? "" : "s");
}

Cell cell(double value) { return std::isnan(value) ? Cell() : Cell(value); }

double measured_ns(const Sweep& sweep, size_t point) {
  return sweep.points[point].samples.empty() ? kUnknown
                                             : sample_spread(sweep.points[point], sweep.request.least_samples).median;
}

std::string left_out(std::span<const ReferenceCell* const> cells, const Platform& platform) {
  std::vector<std::string> words;
  for (const ReferenceCell* c : cells) {
    const bool flagged = c->quality == CellQuality::uncertain || c->quality == CellQuality::mismatch;
    if (flagged && c->platform == platform.name && c->threads == platform.threads)
      words.push_back(fmt::format("{} {:g} s: {}", c->tool, c->seconds, c->note));
  }
  return fmt::format("{}", fmt::join(words, " | "));
}

}  // namespace

engine::Result<std::vector<ReferenceCell>> parse_reference(std::string_view csv) {
  std::vector<ReferenceCell> cells;
  size_t line = 0;
  for (size_t begin = 0; begin < csv.size();) {
    const size_t end = std::min(csv.find('\n', begin), csv.size());
    const std::string_view text = csv.substr(begin, end - begin);
    begin = end + 1;
    if (++line == 1 || text.empty() || text == "\r") continue;
    engine::Result<ReferenceCell> cell = cell_of(fields_of(text), line);
    if (!cell) return cell.error();
    cells.push_back(*std::move(cell));
  }
  return cells;
}

const std::vector<ReferenceCell>& shi2016_table7() {
  static const std::vector<ReferenceCell> cells = [] {
    engine::Result<std::vector<ReferenceCell>> parsed = parse_reference(kShi2016Table7);
    CHECK(parsed.ok());
    return *std::move(parsed);
  }();
  return cells;
}

std::string reference_network(const Sweep& sweep, size_t point) {
  std::string workload = sweep.request.workload, preset = setting_of(sweep, point, "preset");
  if (const std::string both = setting_of(sweep, point, "workload"); !both.empty()) {
    const size_t colon = both.find(':');
    workload = both.substr(0, colon);
    if (colon != std::string::npos) preset = both.substr(colon + 1);
  }
  for (const Named& n : kNetworks) {
    if (n.workload == workload && n.preset == preset) return std::string(n.network);
  }
  return {};
}

std::vector<const ReferenceCell*> reference_of(const Sweep& sweep, size_t point) {
  std::vector<const ReferenceCell*> cells;
  const std::string network = reference_network(sweep, point);
  const std::string mode = setting_of(sweep, point, "mode");
  if (network.empty() || (!mode.empty() && mode != "training")) return cells;
  const SweepFigures& figures =
      sweep.points[point].samples.empty() ? sweep.points[point].predicted : sweep.points[point].found;
  for (const ReferenceCell& c : shi2016_table7()) {
    if (c.network == network && static_cast<double>(c.minibatch) == figures.samples) cells.push_back(&c);
  }
  return cells;
}

ReferenceRange reference_range(std::span<const ReferenceCell* const> cells, std::string_view platform, int threads) {
  ReferenceRange range{.fastest_s = kUnknown, .slowest_s = kUnknown, .fastest_tool = {}};
  for (const ReferenceCell* c : cells) {
    if (c->platform != platform || c->threads != threads || c->quality == CellQuality::missing) continue;
    if (c->quality != CellQuality::good) {
      ++range.flagged;
      continue;
    }
    ++range.tools;
    if (!(c->seconds >= range.fastest_s)) range.fastest_s = c->seconds, range.fastest_tool = c->tool;
    if (!(c->seconds <= range.slowest_s)) range.slowest_s = c->seconds;
  }
  return range;
}

Table reference_table(const Sweep& sweep) {
  Table table{.name = "reference", .columns = {}, .rows = {}, .row_ops = {}};
  table.columns = {
      {"point", "Point", Quantity::text, Origin::exact, "Settings of the point"},
      {"network", "Network", Quantity::text, Origin::specified,
       "Its name in Table 7 of Shi et al. 2016 (arXiv 1608.07249 v7)"},
      {"step_ns", "Here", Quantity::duration_ns, Origin::measured, "Step on this machine: median over processes"},
      {"platform", "Published for", Quantity::text, Origin::specified, "Machine and threads of the published cells"},
      {"fastest_ns", "Fastest", Quantity::duration_ns, Origin::specified, "Fastest tool, good cells alone"},
      {"fastest_tool", "Tool", Quantity::text, Origin::specified, "Which tool that was"},
      {"slowest_ns", "Slowest", Quantity::duration_ns, Origin::specified, "Slowest tool, good cells alone"},
      {"tools", "Tools", Quantity::count, Origin::exact, "Good cells"},
      {"ratio", "Here / fastest", Quantity::ratio, Origin::measured,
       "Below 1: faster here. Different machines of different years: a landmark, not a race"},
      {"left_out", "Left out", Quantity::text, Origin::specified,
       "Cells with doubtful digits, or of a tool that ran something else, with the reason"}};
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<const ReferenceCell*> cells = reference_of(sweep, point);
    std::set<Platform> platforms;
    for (const ReferenceCell* c : cells) platforms.insert({c->platform, c->threads});
    for (const Platform& p : platforms) {
      const ReferenceRange range = reference_range(cells, p.name, p.threads);
      const std::string out = left_out(cells, p);
      if (range.tools == 0 && out.empty()) continue;
      const double step_ns = measured_ns(sweep, point);
      table.rows.push_back({sweep.label(point), cells.front()->network, cell(step_ns), words_of(p),
                            cell(range.fastest_s * 1e9), range.fastest_tool.empty() ? Cell() : Cell(range.fastest_tool),
                            cell(range.slowest_s * 1e9), static_cast<double>(range.tools),
                            cell(step_ns / (range.fastest_s * 1e9)), out.empty() ? Cell() : Cell(out)});
    }
  }
  return table;
}

std::vector<std::string> reference_sentences(const Sweep& sweep) {
  std::vector<std::string> sentences;
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<const ReferenceCell*> cells = reference_of(sweep, point);
    const double step_ns = measured_ns(sweep, point);
    if (cells.empty() || std::isnan(step_ns)) continue;
    ReferenceRange cpu{.fastest_s = kUnknown, .slowest_s = kUnknown, .fastest_tool = {}}, gpu = cpu;
    std::string cpu_where, gpu_where;
    int flagged = 0;
    for (const ReferenceCell* c : cells) {
      flagged += c->quality == CellQuality::uncertain || c->quality == CellQuality::mismatch ? 1 : 0;
      if (c->quality != CellQuality::good) continue;
      ReferenceRange& side = c->threads == 0 ? gpu : cpu;
      if (c->seconds >= side.fastest_s) continue;
      side.fastest_s = c->seconds;
      side.fastest_tool = c->tool;
      (c->threads == 0 ? gpu_where : cpu_where) = words_of({c->platform, c->threads});
    }
    std::string text =
        fmt::format("{}: {} here", cells.front()->network, format_quantity(step_ns, Quantity::duration_ns));
    const auto add = [&](const ReferenceRange& side, const std::string& where) {
      if (!std::isnan(side.fastest_s))
        text += fmt::format("; {} published for {} ({})", format_quantity(side.fastest_s * 1e9, Quantity::duration_ns),
                            where, side.fastest_tool);
    };
    add(cpu, cpu_where);
    add(gpu, gpu_where);
    if (flagged > 0) text += fmt::format("; {} doubtful or mismatched cells left out", flagged);
    sentences.push_back(text + ".");
  }
  return sentences;
}

}  // namespace profiler
