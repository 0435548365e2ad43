// SPDX-License-Identifier: Apache-2.0
// All sections of reports, one line each.
#include "profiler/report/section_catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/base/display_text.h"
#include "engine/base/nearest_name.h"
#include "profiler/report/words.h"

namespace profiler {
namespace {

using When = ReportSectionEntry::When;

constexpr unsigned bit(ReportKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kRun = bit(ReportKind::capture), kRuns = kRun | bit(ReportKind::trace),
                   kSweep = bit(ReportKind::sweep), kBoth = bit(ReportKind::comparison), kAll = kRuns | kSweep | kBoth;

std::string keys_of(auto&& wanted) {
  std::vector<std::string_view> keys;
  for (const ReportSectionEntry& entry : report_sections()) {
    if (wanted(entry)) keys.emplace_back(entry.key);
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

const ReportSectionEntry* find(std::string_view key) {
  const auto all = report_sections();
  const auto at = std::ranges::find(all, key, [](const ReportSectionEntry& e) { return std::string_view(e.key); });
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

std::span<const ReportSectionEntry> report_sections() {
  static constexpr std::array kEntries{
      ReportSectionEntry{"answers", "The four answers", "Page 1: time, limit, bytes, what to change", kAll, When::usual,
                         nullptr, true},
      ReportSectionEntry{"timeline", "Timeline", "Chart: when each op ran", kRuns, When::found},
      ReportSectionEntry{"traffic", "Traffic", "Chart: bytes between memory levels", kRuns | kBoth, When::found},
      ReportSectionEntry{"roofline", "Roofline", "Chart: how close ops are to the roofs", kRuns, When::found},
      ReportSectionEntry{"memory", "Memory", "Chart: what fills the memory over a step", kRuns, When::found},
      ReportSectionEntry{"cache", "Cache", "Chart: simulated caches of the slowest op", kRun, When::asked},
      ReportSectionEntry{"sweep", "Sweep", "Chart: curves over the axes", kSweep, When::found},
      ReportSectionEntry{"compare", "Compare", "Chart: ops that became slower or faster", kBoth, When::found},
      ReportSectionEntry{"changes", "What changed", "Times of the ops before and after", kBoth, When::usual,
                         changes_section},
      ReportSectionEntry{"points", "Points", "Every point, and the results of the curves", kSweep, When::usual,
                         points_section},
      ReportSectionEntry{"ops", "Ops", "Types of ops, and the slowest ops", kRuns, When::usual, ops_section},
      ReportSectionEntry{"findings", "Findings", "What was found, with the evidence", kRuns | kSweep, When::usual,
                         findings_section},
      ReportSectionEntry{"reasons", "Limits", "Why the slowest ops have their limit", kRuns, When::usual,
                         reasons_section},
      ReportSectionEntry{"quality", "Data quality", "Why figures may be wrong, and what measuring cost", kAll,
                         When::usual, quality_section},
      ReportSectionEntry{"machine", "Machine and method", "What ran, on what, and how it was measured", kAll,
                         When::usual, machine_section},
      ReportSectionEntry{"origins", "Origins", "How each number was obtained", kAll, When::usual, origins_section},
      ReportSectionEntry{"thresholds", "Thresholds", "Thresholds of the limits, with their sources", kRuns, When::asked,
                         thresholds_section},
      ReportSectionEntry{"names", "Names", "Whole names of those that tables shorten", kAll, When::usual,
                         names_section},
      ReportSectionEntry{"command", "Run it again", "The command that repeats the run", kAll, When::usual,
                         command_section},
  };
  return kEntries;
}

engine::Result<std::vector<std::string>> parse_sections(const std::string& text) {
  const auto everything = [](const ReportSectionEntry&) { return true; };
  std::vector<std::string> keys;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word == "all") {
      keys.clear();
      for (const ReportSectionEntry& entry : report_sections()) keys.emplace_back(entry.key);
      continue;
    }
    if (find(word) == nullptr) {
      return engine::usage_error(fmt::format("[--sections] there is no section \"{}\". Choose from: {}, all",
                                             engine::display_line(word), keys_of(everything)));
    }
    if (std::ranges::find(keys, word) == keys.end()) keys.push_back(std::move(word));
  }
  return keys;
}

engine::Result<void> check_choice(ReportKind kind, const ReportChoice& choice) {
  if (!choice) return {};
  // "all" names every section of every kind
  if (choice->size() == report_sections().size()) return {};
  for (const std::string& key : *choice) {
    const ReportSectionEntry* entry = find(key);
    if (entry != nullptr && entry->of(kind)) continue;
    return engine::usage_error(fmt::format("[--sections] the report of a {} has no section \"{}\". Choose from: {}",
                                           name(kind), engine::display_line(key),
                                           keys_of([&](const ReportSectionEntry& e) { return e.of(kind); })));
  }
  return {};
}

bool chosen(const ReportSectionEntry& entry, const ReportChoice& choice, const std::vector<Report::Chart>& found) {
  if (choice) return std::ranges::find(*choice, entry.key) != choice->end();
  if (entry.when == When::found) return std::ranges::find(found, entry.key, &Report::Chart::key) != found.end();
  return entry.when == When::usual;
}

void add_sections(Report& report, SectionInput in, const ReportChoice& choice, const std::vector<Report::Chart>& found,
                  const std::vector<std::string>& not_drawn) {
  in.kind = report.kind;
  in.report = &report;
  if (const auto first = report_sections().begin(); !chosen(*first, choice, found)) {
    report.answers.clear();
    report.lead.reset();
  }
  bool placed = false;
  for (const ReportSectionEntry& entry : report_sections()) {
    if (!entry.of(report.kind) || !chosen(entry, choice, found)) continue;
    if (entry.first_page) continue;
    if (!entry.chart()) {
      ReportSection section = entry.make(in);
      if (!section.blocks.empty()) report.sections.push_back(std::move(section));
      continue;
    }
    const auto why = std::ranges::find(found, entry.key, &Report::Chart::key);
    report.charts.push_back({entry.key, why == found.end() ? std::string() : why->why});
    if (std::exchange(placed, true)) continue;
    ReportSection section{.id = "charts", .title = "Charts", .blocks = {}};
    if (!not_drawn.empty())
      section.blocks.emplace_back(ReportText{.text = fmt::format("Not drawn: {}.", fmt::join(not_drawn, "; "))});
    section.blocks.emplace_back(ReportCharts{});
    report.sections.push_back(std::move(section));
  }
}

}  // namespace profiler
