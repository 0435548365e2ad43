// SPDX-License-Identifier: Apache-2.0
// Cells of the published table in the orders that its readers need, and times of ours.
#include "profiler/sweep/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <tuple>

#include "profiler/analysis/tables/summary.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/sweep/setting.h"

namespace profiler {
namespace {

/// May be compared with other cells of its own row.
bool of_its_row(const ReferenceCell& cell) {
  return cell.quality == CellQuality::good || cell.quality == CellQuality::mismatch;
}

/// Good cells, cells that stay out, gaps.
int rank_group(const ReferenceCell& cell) { return cell.quality == CellQuality::good ? 0 : cell.has_time() ? 1 : 2; }

/// Whether the arguments of a run make it this network.
bool same_arguments(const PublishedNetwork& network, const std::map<std::string, std::string>& of_run) {
  return std::ranges::all_of(network.arguments, [&](const auto& wanted) {
    const auto found = of_run.find(wanted.first);
    return found != of_run.end() && found->second == wanted.second;
  });
}

std::string seconds(const ReferenceCell& cell) { return format_quantity(cell.seconds * 1e9, Quantity::duration_ns); }

/// The fastest good cell of processors or of GPUs; null: none is good.
const ReferenceCell* fastest_of(std::span<const ReferenceCell* const> cells, bool gpus) {
  const ReferenceCell* fastest = nullptr;
  for (const PublishedPlatform& platform : shi2016_facts().platforms) {
    if (platform.gpu() != gpus) continue;
    const ReferenceCell* of_platform = fastest_cell(cells, platform.key);
    if (of_platform != nullptr && (fastest == nullptr || of_platform->seconds < fastest->seconds))
      fastest = of_platform;
  }
  return fastest;
}

std::string fastest_sentence(const std::string& network, std::span<const ReferenceCell* const> cells) {
  std::string text;
  for (const bool gpus : {false, true}) {
    const ReferenceCell* fastest = fastest_of(cells, gpus);
    const std::string side = gpus ? say("GPU") : say("processor");
    text += text.empty() ? "" : "; ";
    text += fastest == nullptr ? say("no good cell of a {}", side)
                               : say("fastest good cell of a {} {} ({}, {})", side, seconds(*fastest), fastest->tool,
                                     column_of(*fastest).title());
  }
  return fmt::format("{}: {}.", network, text);
}

}  // namespace

std::string PublishedColumn::title() const {
  return threads == 0 ? platform->short_title
                      : fmt::format("{}, {}", platform->short_title, counted(static_cast<uint64_t>(threads), "thread"));
}

std::vector<const ReferenceCell*> published_cells(std::string_view network) {
  std::vector<const ReferenceCell*> cells;
  for (const ReferenceCell& cell : shi2016_table7())
    if (network.empty() || cell.network == network) cells.push_back(&cell);
  return cells;
}

PublishedColumn column_of(const ReferenceCell& cell) { return {shi2016_facts().platform(cell.platform), cell.threads}; }

std::vector<PublishedColumn> published_columns() {
  std::vector<PublishedColumn> columns;
  for (const ReferenceCell& cell : shi2016_table7()) {
    const PublishedColumn column = column_of(cell);
    const bool known = std::ranges::any_of(columns, [&](const PublishedColumn& other) {
      return other.platform == column.platform && other.threads == column.threads;
    });
    if (known) break;  // each row has them in the same order
    columns.push_back(column);
  }
  return columns;
}

double PublishedCurve::speed_up(size_t cell) const {
  const ReferenceCell &one = *cells.front(), &here = *cells[cell];
  return one.threads == 1 && of_its_row(one) && of_its_row(here) ? one.seconds / here.seconds : kUnknown;
}

std::vector<PublishedCurve> published_curves(std::string_view network) {
  std::vector<PublishedCurve> curves;
  for (const ReferenceCell* cell : published_cells(network)) {
    const PublishedPlatform* platform = column_of(*cell).platform;
    if (platform->gpu()) continue;
    if (curves.empty() || curves.back().network != cell->network || curves.back().tool != cell->tool ||
        curves.back().platform != platform)
      curves.push_back({cell->network, cell->tool, platform, {}});
    curves.back().cells.push_back(cell);
  }
  return curves;
}

std::vector<RankedCell> published_ranking(std::string_view network, const PublishedColumn& column) {
  std::vector<RankedCell> ranked;
  for (const ReferenceCell* cell : published_cells(network)) {
    if (cell->platform == column.platform->key && cell->threads == column.threads)
      ranked.push_back({.cell = cell, .place = 0, .ratio = kUnknown});
  }
  std::ranges::stable_sort(ranked, [](const RankedCell& a, const RankedCell& b) {
    const auto key = [](const RankedCell& r) {
      return std::tuple(rank_group(*r.cell), r.cell->has_time() ? r.cell->seconds : 0.0);
    };
    return key(a) < key(b);
  });
  if (ranked.empty() || rank_group(*ranked.front().cell) != 0) return ranked;
  const double fastest = ranked.front().cell->seconds;
  for (size_t i = 0; i < ranked.size(); ++i) {
    RankedCell& r = ranked[i];
    if (rank_group(*r.cell) != 0) continue;
    r.ratio = r.cell->seconds / fastest;
    const bool tie = i > 0 && ranked[i - 1].cell->seconds == r.cell->seconds;
    r.place = tie ? ranked[i - 1].place : static_cast<int>(i) + 1;
  }
  return ranked;
}

std::vector<OwnTime> own_times(const Sweep& sweep) {
  std::vector<OwnTime> all;
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const SweepPoint& p = sweep.points[point];
    if (p.samples.empty() || !(p.found.flops > 0) || reference_of(sweep, point).empty()) continue;
    const std::string device = setting_of(sweep, point, "device");
    all.push_back({.network = reference_network(sweep, point),
                   .device = device.empty() ? "cpu" : device,
                   .threads = threads_of(sweep, point),
                   .step_ns = sample_spread(p, sweep.request.least_samples).median});
  }
  return all;
}

std::vector<OwnTime> own_times(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const RunInfo& run = capture.run();
  if (!capture.computed() || capture.device().emulated) return {};
  const double step_ns = summary(analyzed).step_ns.median;
  for (const PublishedNetwork& network : shi2016_facts().networks) {
    if (network.workload != run.workload || !same_arguments(network, run.arguments) || !(step_ns > 0)) continue;
    return {{.network = network.name,
             .device = run.device,
             .threads = capture.device().is_gpu ? 0 : run.threads,
             .step_ns = step_ns}};
  }
  return {};
}

double own_speed_up(std::span<const OwnTime> all, const OwnTime& of) {
  const auto one = std::ranges::find_if(all, [&](const OwnTime& other) {
    return other.network == of.network && other.device == of.device && other.threads == 1;
  });
  return one == all.end() || of.threads < 1 ? kUnknown : one->step_ns / of.step_ns;
}

std::string own_sentence(const OwnTime& t) {
  const std::string threads =
      t.threads > 0 ? ", " + counted(static_cast<uint64_t>(t.threads), "thread") : std::string();
  return say("{} here ({}{}): {} (measured).", t.network, t.device, threads,
             format_quantity(t.step_ns, Quantity::duration_ns));
}

std::vector<std::string> published_sentences(std::string_view network) {
  std::vector<std::string> sentences;
  for (const PublishedNetwork& n : shi2016_facts().networks) {
    if (!network.empty() && n.name != network) continue;
    const std::vector<const ReferenceCell*> cells = published_cells(n.name);
    sentences.push_back(fastest_sentence(n.name, cells));
    std::vector<std::string> unlike;
    std::set<std::string> tools;
    for (const ReferenceCell* cell : cells) tools.insert(cell->tool);
    for (const PublishedMismatch& m : shi2016_facts().mismatches)
      if (m.network == n.name) unlike.push_back(m.tool);
    if (!unlike.empty())
      sentences.push_back(say("{}: {} of {} rows {} not like for like, and in no ranking: {}.", n.name, unlike.size(),
                              tools.size(), unlike.size() == 1 ? say("is") : say("are"), fmt::join(unlike, ", ")));
    for (const ReferenceCell* cell : cells) {
      if (cell->quality != CellQuality::impossible) continue;
      sentences.push_back(say("{}, {}, {}: {} is {} of the peak: impossible.", cell->network, cell->tool,
                              column_of(*cell).title(), seconds(*cell),
                              format_quantity(cell->peak_ratio(), Quantity::percent_of)));
    }
  }
  return sentences;
}

}  // namespace profiler
