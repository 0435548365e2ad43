// SPDX-License-Identifier: Apache-2.0
// The published table as tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "profiler/base/words.h"
#include "profiler/sweep/published.h"

namespace profiler {
namespace {

constexpr const char* kOurs = "Tensortide";

Column text_column(const char* key, const char* title, const char* help, Origin origin = Origin::specified) {
  return {key, title, Quantity::text, origin, help};
}

const Column kNetwork = text_column("network", "Network", "Row of the table"),
             kTool = text_column("tool", "Tool", "Which program ran it; Tensortide: measured here"),
             kPlatform = text_column("platform", "Platform", "Processor or GPU"),
             kThreads = {"threads", "Threads", Quantity::count, Origin::specified, "Of a processor"},
             kTime = {"time_ns", "Time", Quantity::duration_ns, Origin::specified,
                      "Published time of one training step; of Tensortide: measured here, on another machine"},
             kQuality = text_column("quality", "Quality",
                                    "good; uncertain: digits may be wrong; not like for like; impossible: above the "
                                    "peak; dash; lost by the text recognition",
                                    Origin::exact),
             kWhy = text_column("why", "Why", "Why a cell is in no statistic, or is empty");

Cell number(double value) { return std::isnan(value) ? Cell() : Cell(value); }
Cell words(const std::string& text) { return text.empty() ? Cell() : Cell(text); }
Cell thread_cell(int threads) { return threads > 0 ? Cell(static_cast<double>(threads)) : Cell(); }
double time_ns(const ReferenceCell& cell) { return cell.has_time() ? cell.seconds * 1e9 : kUnknown; }

Table table_of(const char* name, std::vector<Column> columns) {
  return {.name = name, .columns = std::move(columns), .rows = {}, .row_ops = {}};
}

bool wanted(std::string_view network, const std::string& name) { return network.empty() || network == name; }

/// "1.23", and a sign behind it that the text below the table explains.
std::string picture_cell(const ReferenceCell& cell) {
  if (cell.quality == CellQuality::dash) return "–";
  if (cell.quality == CellQuality::lost) return "lost";
  constexpr std::array kSigns{"", "?", "x", "!", "", ""};
  return fmt::format("{:.3f}{}{}", cell.seconds, cell.repaired ? "~" : "", kSigns[static_cast<size_t>(cell.quality)]);
}

}  // namespace

Table published_grid_table(std::string_view network, std::span<const OwnTime> own) {
  Table table =
      table_of("published",
               {kNetwork,
                {"minibatch_count", "Minibatch", Quantity::count, Origin::specified, "Samples of a step"},
                kTool,
                kPlatform,
                kThreads,
                kTime,
                kQuality,
                text_column("repaired", "Repaired", "Whether a decimal point or a digit was put back", Origin::exact),
                text_column("raw", "Read as", "What the text recognition had, where it differs"),
                kWhy});
  for (const ReferenceCell* c : published_cells(network))
    table.rows.push_back({c->network, static_cast<double>(c->minibatch), c->tool, column_of(*c).platform->short_title,
                          thread_cell(c->threads), number(time_ns(*c)), std::string(name(c->quality)),
                          c->repaired ? "yes" : "no", words(c->raw), words(c->why)});
  for (const OwnTime& t : own) {
    if (!wanted(network, t.network)) continue;
    const auto minibatch = static_cast<double>(shi2016_facts().network(t.network)->minibatch);
    table.rows.push_back({t.network, minibatch, kOurs, t.device, thread_cell(t.threads), t.step_ns, "measured here",
                          Cell(), Cell(), Cell()});
  }
  return table;
}

Table published_picture_table(std::string_view network) {
  const std::vector<PublishedColumn> columns = published_columns();
  std::vector<Column> all{kNetwork, kTool};
  for (const PublishedColumn& c : columns) {
    const std::string title = c.threads > 0 ? fmt::format("{} {}", c.platform->code, c.threads) : c.platform->code;
    all.push_back(text_column(fmt::format("{}_{}", c.platform->key, c.threads).c_str(), title.c_str(), ""));
  }
  Table table = table_of("published", std::move(all));
  for (const ReferenceCell* c : published_cells(network)) {
    if (table.rows.empty() || table.rows.back().size() == columns.size() + 2)
      table.rows.push_back({c->network, c->tool});
    table.rows.back().emplace_back(picture_cell(*c));
  }
  return table;
}

Table published_threads_table(std::string_view network, std::span<const OwnTime> own) {
  Table table =
      table_of("published_threads",
               {kNetwork,
                kTool,
                kPlatform,
                kThreads,
                kTime,
                {"speed_up_ratio", "Speed-up", Quantity::ratio, Origin::specified, "Time with one thread / time"},
                {"efficiency_ratio", "Efficiency", Quantity::percent_of, Origin::specified, "Speed-up / threads"},
                text_column("zone", "Zone", "cores, or hyper-threads: more threads than cores", Origin::exact),
                kQuality,
                kWhy});
  for (const PublishedCurve& curve : published_curves(network)) {
    for (size_t i = 0; i < curve.cells.size(); ++i) {
      const ReferenceCell& c = *curve.cells[i];
      const double gain = curve.speed_up(i);
      table.rows.push_back({c.network, c.tool, curve.platform->short_title, thread_cell(c.threads), number(time_ns(c)),
                            number(gain), number(gain / c.threads),
                            column_of(c).hyper_threads() ? "hyper-threads" : "cores", std::string(name(c.quality)),
                            words(c.why)});
    }
  }
  for (const OwnTime& t : own) {
    if (!wanted(network, t.network)) continue;
    const double gain = own_speed_up(own, t);
    table.rows.push_back({t.network, kOurs, t.device, thread_cell(t.threads), t.step_ns, number(gain),
                          number(gain / t.threads), Cell(), "measured here", Cell()});
  }
  return table;
}

Table published_peaks_table(std::string_view network, std::span<const OwnTime>) {
  Table table = table_of(
      "published_peaks",
      {kNetwork,
       kTool,
       kPlatform,
       kThreads,
       kTime,
       {"flops", "FLOPs", Quantity::flops, Origin::exact,
        "Of the network of the row: matrix multiplications and convolutions of one training step"},
       {"flop_per_s", "Implied", Quantity::flop_per_s, Origin::specified, "FLOPs / published time"},
       {"peak_flop_per_s", "Peak", Quantity::flop_per_s, Origin::specified,
        "Cores in use x FLOP per cycle x highest clock; of a GPU: its data sheet"},
       {"peak_ratio", "Of peak", Quantity::percent_of, Origin::specified, "Implied / peak; above 100 %: impossible"},
       {"script_flops", "Script", Quantity::flops, Origin::specified,
        "FLOPs of what the tool's script computes, where it differs and is known"},
       kQuality,
       kWhy});
  std::vector<const ReferenceCell*> cells = published_cells(network);
  std::erase_if(cells, [](const ReferenceCell* c) { return !c->has_time(); });
  std::ranges::stable_sort(cells, std::greater<>(), &ReferenceCell::peak_ratio);
  for (const ReferenceCell* c : cells) {
    const PublishedMismatch* mismatch = shi2016_facts().mismatch(c->network, c->tool);
    table.rows.push_back({c->network, c->tool, column_of(*c).platform->short_title, thread_cell(c->threads),
                          number(time_ns(*c)), shi2016_facts().network(c->network)->product_flops,
                          number(c->flop_per_s), number(c->peak_flop_per_s), number(c->peak_ratio()),
                          number(mismatch == nullptr ? kUnknown : mismatch->script_flops),
                          std::string(name(c->quality)), words(c->why)});
  }
  return table;
}

Table published_ranking_table(std::string_view network, std::span<const OwnTime>) {
  Table table = table_of(
      "published_ranking",
      {kNetwork,
       kPlatform,
       kThreads,
       {"place_count", "Place", Quantity::count, Origin::specified, "Among good cells; –: not ranked"},
       kTool,
       kTime,
       {"fastest_ratio", "To fastest", Quantity::ratio, Origin::specified, "Time / that of the fastest good cell"},
       kQuality,
       kWhy});
  for (const PublishedNetwork& n : shi2016_facts().networks) {
    if (!wanted(network, n.name)) continue;
    for (const PublishedColumn& column : published_columns()) {
      for (const RankedCell& r : published_ranking(n.name, column))
        table.rows.push_back({n.name, column.platform->short_title, thread_cell(column.threads),
                              r.place > 0 ? Cell(static_cast<double>(r.place)) : Cell(), r.cell->tool,
                              number(time_ns(*r.cell)), number(r.ratio), std::string(name(r.cell->quality)),
                              words(r.cell->why)});
    }
  }
  return table;
}

Table published_mismatches_table(std::string_view network, std::span<const OwnTime>) {
  Table table = table_of(
      "published_mismatches",
      {kNetwork,
       kTool,
       text_column("kind", "Kind", "Other work, no training step, or input inside the time"),
       {"flops", "Row", Quantity::flops, Origin::exact, "FLOPs of the network that the row names"},
       {"script_flops", "Script", Quantity::flops, Origin::specified, "FLOPs of what the tool's script computes"},
       {"script_ratio", "Script / row", Quantity::ratio, Origin::specified, "Of both"},
       text_column("what", "What the script does", "Read in the authors' scripts")});
  for (const PublishedMismatch& m : shi2016_facts().mismatches) {
    if (!wanted(network, m.network)) continue;
    const double flops = shi2016_facts().network(m.network)->product_flops;
    table.rows.push_back(
        {m.network, m.tool, m.kind, flops, number(m.script_flops), number(m.script_flops / flops), m.what});
  }
  return table;
}

Table published_networks_table(std::string_view network, std::span<const OwnTime>) {
  Table table = table_of(
      "published_networks",
      {kNetwork,
       text_column("what", "What it is", "Its layers and data"),
       {"minibatch_count", "Minibatch", Quantity::count, Origin::specified, "Samples of a step; LSTM: sequences"},
       {"parameters_count", "Parameters", Quantity::count, Origin::exact, "Of our workload"},
       {"flops", "FLOPs", Quantity::flops, Origin::exact,
        "Matrix multiplications and convolutions of one training step"},
       text_column("workload", "Workload", "tensortide run WORKLOAD", Origin::exact),
       text_column("preset", "Preset", "--preset PRESET", Origin::exact)});
  for (const PublishedNetwork& n : shi2016_facts().networks) {
    if (wanted(network, n.name))
      table.rows.push_back(
          {n.name, n.what, static_cast<double>(n.minibatch), n.weights, n.product_flops, n.workload, n.preset});
  }
  return table;
}

}  // namespace profiler
