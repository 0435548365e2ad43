// SPDX-License-Identifier: Apache-2.0
// Table 7: reading, matching, ranges.
#include "profiler/sweep/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "engine/base/check.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/sweep/published_facts.h"
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
  if (std::isnan(cell.seconds)) return says("ocr-uncertain") ? CellQuality::lost : CellQuality::dash;
  if (says("ocr-uncertain")) return CellQuality::uncertain;
  if (says("workload-mismatch") || says("input-bound")) return CellQuality::mismatch;
  return CellQuality::good;
}

/// What stands in quotation marks behind the first of these words; empty: neither is there.
std::string raw_token(const std::string& note) {
  for (const std::string_view before : {"raw \"", "restored from \""}) {
    const size_t at = note.find(before);
    if (at == std::string::npos) continue;
    const size_t begin = at + before.size();
    return note.substr(begin, note.find('"', begin) - begin);
  }
  return {};
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
  cell.raw = raw_token(cell.note);
  cell.repaired = cell.has_time() && !cell.raw.empty() && cell.quality != CellQuality::uncertain;
  if (cell.quality != CellQuality::good) cell.why = cell.note;
  return cell;
}

/// By what is known of the rows: reasons of gaps, rows that are not like for like, and times that no such machine can
/// reach.
void judge(ReferenceCell& cell, const PublishedFacts& facts) {
  const PublishedNetwork* network = facts.network(cell.network);
  const PublishedPlatform* platform = facts.platform(cell.platform);
  CHECK(network != nullptr && platform != nullptr);
  if (cell.quality == CellQuality::dash) {
    const PublishedRemark* gap = find_remark(facts.gaps, cell.network, cell.tool, platform->gpu());
    cell.why = say("A dash in the table: not run or not supported. ");
    cell.why += gap != nullptr ? gap->what : say("Which of both, and why, is not known.");
  }
  if (!cell.has_time()) return;
  if (const PublishedMismatch* mismatch = facts.mismatch(cell.network, cell.tool)) {
    if (cell.quality != CellQuality::uncertain) cell.quality = CellQuality::mismatch, cell.why.clear();
    cell.why += (cell.why.empty() ? "" : " ") + mismatch->what;
  }
  const PublishedRemark* remark = find_remark(facts.remarks, cell.network, cell.tool, platform->gpu());
  cell.flop_per_s = network->product_flops / cell.seconds;
  cell.peak_flop_per_s = platform->peak_flop_per_s(cell.threads);
  const bool impossible = cell.peak_ratio() > 1 && cell.quality != CellQuality::uncertain;
  if (impossible) {
    cell.quality = CellQuality::impossible;
    const std::string of =
        platform->gpu()
            ? platform->short_title
            : say("{} of the {}", counted(static_cast<uint64_t>(std::min(cell.threads, platform->cores)), "core"),
                  platform->short_title);
    cell.why = say("The network of this row would need {}, {} of the peak of {}.{}{}",
                   format_quantity(cell.flop_per_s, Quantity::flop_per_s),
                   format_quantity(cell.peak_ratio(), Quantity::percent_of), of, cell.why.empty() ? "" : " ", cell.why);
  }
  if (remark != nullptr && cell.quality != CellQuality::good) cell.why += " " + remark->what;
}

/// Whether what a point changes of its preset leaves the network as it is.
bool same_network(const Sweep& sweep, size_t point, const PublishedNetwork& network) {
  const auto kept = [&](const std::string& key, const std::string& value) {
    const auto wanted = network.arguments.find(key);
    if (wanted != network.arguments.end()) return wanted->second == value;
    return std::ranges::find(shi2016_facts().free_arguments, key) != shi2016_facts().free_arguments.end();
  };
  for (const auto& [key, wanted] : network.arguments) {
    if (const std::string set = setting_of(sweep, point, key); !set.empty() && set != wanted) return false;
  }
  const std::vector<std::string>& fixed = sweep.request.fixed;
  for (size_t i = 0; i + 1 < fixed.size(); ++i) {
    const size_t equals = fixed[i + 1].find('=');
    if (fixed[i] == "--set" && equals != std::string::npos &&
        !kept(fixed[i + 1].substr(0, equals), fixed[i + 1].substr(equals + 1)))
      return false;
  }
  return true;
}

struct Platform {
  std::string name;
  int threads;
  auto operator<=>(const Platform&) const = default;
};

std::string words_of(const Platform& p) {
  const PublishedPlatform* known = shi2016_facts().platform(p.name);
  const std::string& title = known == nullptr ? p.name : known->short_title;
  return p.threads == 0 ? title : fmt::format("{}, {}", title, counted(static_cast<uint64_t>(p.threads), "thread"));
}

Cell cell(double value) { return std::isnan(value) ? Cell() : Cell(value); }

double measured_ns(const Sweep& sweep, size_t point) {
  return sweep.points[point].samples.empty() ? kUnknown
                                             : sample_spread(sweep.points[point], sweep.request.least_samples).median;
}

/// "Caffe 15.4 s: why | ..." of the cells of a platform that have a time and stay out, or of its gaps.
std::string reasons(std::span<const ReferenceCell* const> cells, const Platform& platform, bool gaps) {
  std::vector<std::string> words;
  for (const ReferenceCell* c : cells) {
    if (c->quality == CellQuality::good || c->has_time() == gaps || c->platform != platform.name ||
        c->threads != platform.threads)
      continue;
    words.push_back(gaps ? fmt::format("{}: {}", c->tool, c->why)
                         : fmt::format("{} {:g} s: {}", c->tool, c->seconds, c->why));
  }
  return fmt::format("{}", fmt::join(words, " | "));
}

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

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
    std::vector<ReferenceCell> judged = *std::move(parsed);
    for (ReferenceCell& cell : judged) judge(cell, shi2016_facts());
    return judged;
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
  for (const PublishedNetwork& n : shi2016_facts().networks) {
    if (n.workload == workload && n.preset == preset) return same_network(sweep, point, n) ? n.name : std::string();
  }
  return {};
}

int threads_of(const Sweep& sweep, size_t point) { return std::atoi(setting_of(sweep, point, "threads").c_str()); }

std::vector<const ReferenceCell*> reference_of(const Sweep& sweep, size_t point) {
  std::vector<const ReferenceCell*> cells;
  const std::string network = reference_network(sweep, point);
  if (network.empty()) return cells;
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
    if (c->platform != platform || c->threads != threads || !c->has_time()) continue;
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

const ReferenceCell* fastest_cell(std::span<const ReferenceCell* const> cells, std::string_view platform, int threads) {
  const ReferenceCell* fastest = nullptr;
  for (const ReferenceCell* c : cells) {
    if (c->quality != CellQuality::good || c->platform != platform || (threads > 0 && c->threads != threads)) continue;
    if (fastest == nullptr || c->seconds < fastest->seconds) fastest = c;
  }
  return fastest;
}

std::string_view name(CellQuality quality) {
  switch (quality) {
    case CellQuality::good: return "good";
    case CellQuality::uncertain: return "uncertain";
    case CellQuality::mismatch: return "not like for like";
    case CellQuality::impossible: return "impossible";
    case CellQuality::dash: return "dash";
    case CellQuality::lost: return "lost";
  }
  return {};
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
       "Cells with doubtful digits, of rows that are not like for like, or that no such machine can reach"},
      {"gaps", "Gaps", Quantity::text, Origin::specified, "Cells without a time, with the reason where it is known"},
      {"same_threads", "Same threads", Quantity::text, Origin::exact, "Whether the point ran with as many threads"}};
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<const ReferenceCell*> cells = reference_of(sweep, point);
    std::set<Platform> platforms;
    for (const ReferenceCell* c : cells) platforms.insert({c->platform, c->threads});
    for (const Platform& p : platforms) {
      const ReferenceRange range = reference_range(cells, p.name, p.threads);
      const int threads = threads_of(sweep, point);
      const double step_ns = measured_ns(sweep, point);
      table.rows.push_back({sweep.label(point), cells.front()->network, cell(step_ns), words_of(p),
                            cell(range.fastest_s * 1e9), range.fastest_tool.empty() ? Cell() : Cell(range.fastest_tool),
                            cell(range.slowest_s * 1e9), static_cast<double>(range.tools),
                            cell(step_ns / (range.fastest_s * 1e9)), text_cell(reasons(cells, p, false)),
                            text_cell(reasons(cells, p, true)),
                            threads == 0 || p.threads == 0 ? Cell() : Cell(threads == p.threads ? "yes" : "no")});
    }
  }
  return table;
}

namespace {

/// "; 660 ms published for i7-3820, 2 threads (CNTK)"
std::string published_words(const ReferenceCell& cell) {
  return say("; {} published for {} ({})", format_quantity(cell.seconds * 1e9, Quantity::duration_ns),
             words_of({cell.platform, cell.threads}), cell.tool);
}

/// Our time of a point beside the fastest good cells: of processors with as many threads, where the point says how
/// many; of GPUs where `gpus` is set.
std::string point_sentence(const Sweep& sweep, size_t point, std::span<const ReferenceCell* const> cells, bool gpus) {
  const int threads = threads_of(sweep, point);
  std::string text = sweep.points.size() > 1 ? sweep.label(point) + ": " : std::string();
  text += say("{}: {} here", cells.front()->network, format_quantity(measured_ns(sweep, point), Quantity::duration_ns));
  bool any = false;
  const ReferenceCell* gpu = nullptr;
  for (const PublishedPlatform& platform : shi2016_facts().platforms) {
    const ReferenceCell* fastest = fastest_cell(cells, platform.key, platform.gpu() ? 0 : threads);
    if (fastest == nullptr) continue;
    if (platform.gpu()) {
      if (gpu == nullptr || fastest->seconds < gpu->seconds) gpu = fastest;
      continue;
    }
    any = true;
    text += published_words(*fastest);
  }
  if (!any && threads > 0) text += say("; no good cell has {}", counted(static_cast<uint64_t>(threads), "thread"));
  if (gpus && gpu != nullptr) text += published_words(*gpu);
  return text + ".";
}

}  // namespace

std::vector<std::string> reference_sentences(const Sweep& sweep) {
  std::vector<std::string> sentences;
  std::set<std::string> networks;
  size_t left_out = 0;
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<const ReferenceCell*> cells = reference_of(sweep, point);
    if (cells.empty() || std::isnan(measured_ns(sweep, point))) continue;
    const bool first = networks.insert(cells.front()->network).second;
    if (first)
      left_out += static_cast<size_t>(std::ranges::count_if(
          cells, [](const ReferenceCell* c) { return c->has_time() && c->quality != CellQuality::good; }));
    sentences.push_back(point_sentence(sweep, point, cells, first));
  }
  if (sentences.empty()) return sentences;
  sentences.push_back(say(
      "Published times: Table 7 of {}. {} that are doubtful, not like for like or impossible {} left out. The machines "
      "are others: compare the shapes of curves, not times.",
      shi2016_facts().paper, counted(left_out, "cell"), left_out == 1 ? "is" : "are"));
  return sentences;
}

}  // namespace profiler
