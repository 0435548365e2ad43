// SPDX-License-Identifier: Apache-2.0
// Levels, tensors, sets and curves of a simulation, as text and as JSON.
#include "app/cli/cache_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string_view>

#include "app/cli/output.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"

namespace app::cli {
namespace {

using nlohmann::json;
using profiler::CacheCounts;
using profiler::CacheEpoch;
using profiler::Cell;
using profiler::MemoryCounts;
using profiler::Origin;
using profiler::Quantity;
using profiler::Table;

json counts_json(const CacheCounts& c, bool classified) {
  json out = {{"loads", c.loads},
              {"load_misses", c.load_misses},
              {"stores", c.stores},
              {"store_misses", c.store_misses},
              {"write_backs", c.write_backs},
              {"write_back_misses", c.write_back_misses},
              {"prefetches", c.prefetches},
              {"prefetch_requests", c.prefetch_requests},
              {"prefetch_misses", c.prefetch_misses}};
  if (classified)
    out["causes"] = {{"compulsory", c.compulsory}, {"capacity", c.capacity}, {"conflict", c.conflict}},
    out["prefetchable_misses"] = c.prefetchable;
  return out;
}

/// What a sample that met none of the accesses says nothing of; `but`: known all the same.
void forget(json& counts, std::initializer_list<std::string_view> but = {}) {
  for (const auto& [key, value] : counts.items()) {
    if (value.is_object()) forget(value);
    else if (std::ranges::find(but, key) == but.end()) value = nullptr;
  }
}

json memory_json(const CacheEpoch& epoch) {
  const MemoryCounts m = epoch.total_memory();
  json out = {{"read_bytes", m.read_bytes()},
              {"load_bytes", m.load_bytes},
              {"write_allocate_bytes", m.write_allocate_bytes},
              {"prefetch_bytes", m.prefetch_bytes},
              {"written_bytes", m.all_written_bytes()},
              {"past_caches_bytes", m.past_caches_bytes}};
  if (!epoch.known()) forget(out);
  return out;
}

json level_json(const CacheRun& run, const CacheCounts& counts, size_t level, bool known) {
  json out = counts_json(counts, run.classified);
  if (known) return out;
  if (level == 0) forget(out, {"loads", "stores"});
  else forget(out);
  return out;
}

/// By how much misses may be off, where sets were sampled; as a part of them null where that is unknown or there are
/// none.
void add_error(json& level, const CacheEpoch& epoch, size_t l) {
  if (epoch.miss_errors.empty()) return;
  const double error = epoch.miss_errors[l], misses = static_cast<double>(epoch.total(l).misses());
  level["misses_error"] = json_number(error);
  level["misses_error_ratio"] = misses > 0 ? json_number(error / misses) : json(nullptr);
}

/// Lines that came into a level, as bytes: those it fetched; into a victim cache, those the level above dropped.
uint64_t bytes_into(const CacheRun& run, size_t level, const CacheCounts& c) {
  const profiler::CacheLevelConfig& config = run.config.levels[level];
  return config.inclusion == profiler::Inclusion::victim ? c.write_backs * static_cast<uint64_t>(config.line_bytes)
                                                         : c.fetched_bytes(config);
}

json epoch_json(const CacheRun& run, const CacheEpoch& epoch) {
  json levels = json::array();
  for (size_t l = 0; l < run.config.levels.size(); ++l) {
    const bool known = epoch.known();
    json level = level_json(run, epoch.total(l), l, known);
    level["level"] = run.config.levels[l].name;
    level["in_bytes"] = known ? json(bytes_into(run, l, epoch.total(l))) : json(nullptr);
    if (run.config.levels[l].sector_bytes != 0)
      level["sector_misses"] = known ? json(epoch.total(l).sector_misses) : json(nullptr);
    add_error(level, epoch, l);
    level["set_misses"] = known && epoch.set_misses[l].size() <= 4096 ? json(epoch.set_misses[l]) : json(nullptr);
    json tensors = json::array();
    for (size_t t = 0; t < run.tensors.size(); ++t) {
      if (epoch.levels[l][t] == CacheCounts{}) continue;
      json one = level_json(run, epoch.levels[l][t], l, epoch.known(t));
      one["tensor"] = run.tensors[t].name;
      tensors.push_back(std::move(one));
    }
    level["tensors"] = std::move(tensors);
    levels.push_back(std::move(level));
  }
  return {{"epoch", epoch.name},          {"refs", epoch.refs},    {"levels", levels},
          {"memory", memory_json(epoch)}, {"origin", "simulated"}, {"sampled_share", json_number(1.0 / epoch.sampled)}};
}

/// An op's totals, without its tensors.
json op_json(const CacheRun& run, const CacheEpoch& op) {
  json levels = json::array();
  for (size_t l = 0; l < run.config.levels.size(); ++l) {
    const CacheCounts total = op.total(l);
    json level = level_json(run, total, l, op.known());
    level["level"] = run.config.levels[l].name;
    level["in_bytes"] = op.known() ? json(bytes_into(run, l, total)) : json(nullptr);
    add_error(level, op, l);
    levels.push_back(std::move(level));
  }
  return {{"op", op.name}, {"refs", op.refs}, {"levels", levels}, {"memory", memory_json(op)}, {"origin", "simulated"}};
}

Table epoch_table(const CacheRun& run, const CacheEpoch& epoch) {
  const auto column = [](const char* key, const char* title, Quantity quantity = Quantity::count) {
    return profiler::Column{key, title, quantity, Origin::simulated, ""};
  };
  Table table{
      .name = "cache",
      .columns = {column("level", "Level", Quantity::text), column("loads", "Loads"), column("load_misses", "missed"),
                  column("stores", "Stores"), column("store_misses", "missed"),
                  column("miss_ratio", "Miss ratio", Quantity::percent_of), column("write_backs", "Write-backs in")},
      .rows = {},
      .row_ops = {}};
  if (run.classified) {
    for (const char* cause : {"compulsory", "capacity", "conflict", "prefetchable"})
      table.columns.push_back(column(cause, cause));
  }
  for (size_t l = 0; l < run.config.levels.size(); ++l) {
    const CacheCounts c = epoch.total(l);
    const bool known = epoch.known(), counted = known || l == 0;
    const auto cell = [](uint64_t n, bool is_known) { return is_known ? Cell(static_cast<double>(n)) : Cell(); };
    std::vector<Cell> row{Cell(run.config.levels[l].name), cell(c.loads, counted),      cell(c.load_misses, known),
                          cell(c.stores, counted),         cell(c.store_misses, known), Cell(epoch.miss_ratio(l)),
                          cell(c.write_backs, known)};
    if (run.classified)
      row.insert(row.end(), {cell(c.compulsory, known), cell(c.capacity, known), cell(c.conflict, known),
                             cell(c.prefetchable, known)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string bytes(uint64_t n) { return profiler::format_quantity(static_cast<double>(n), Quantity::bytes); }

/// Scratch has no size of its own: 0 is unknown.
Cell size_cell(int64_t bytes) { return bytes > 0 ? Cell(static_cast<double>(bytes)) : Cell(); }

/// The tensors that memory moves most for, at most `most`.
std::string tensors_text(const CacheRun& run, const CacheEpoch& epoch, size_t most) {
  std::vector<size_t> order(run.tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto moved = [&](size_t t) { return epoch.memory[t].read_bytes() + epoch.memory[t].all_written_bytes(); };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return moved(a) > moved(b); });
  const auto column = [](const char* key, const char* title, Quantity quantity, Origin origin) {
    return profiler::Column{key, title, quantity, origin, ""};
  };
  Table table{.name = "tensors",
              .columns = {column("tensor", "Tensor", Quantity::text, Origin::exact),
                          column("role", "Role", Quantity::text, Origin::exact),
                          column("size_bytes", "Size", Quantity::bytes, Origin::exact),
                          column("memory_read_bytes", "From memory", Quantity::bytes, Origin::simulated),
                          column("memory_written_bytes", "To memory", Quantity::bytes, Origin::simulated)},
              .rows = {},
              .row_ops = {}};
  for (size_t l = 0; l < run.config.levels.size(); ++l)
    table.columns.push_back(column("misses", "missed", Quantity::count, Origin::simulated)),
        table.columns.back().title = run.config.levels[l].name + " misses";
  const auto first_idle =
      std::ranges::find_if(order, [&](size_t t) { return moved(t) == 0 && epoch.levels[0][t].misses() == 0; });
  order.erase(first_idle, order.end());
  const size_t left_out = order.size() > most ? order.size() - most : 0;
  order.resize(order.size() - left_out);
  for (const size_t t : order) {
    const auto cell = [known = epoch.known(t)](uint64_t n) { return known ? Cell(static_cast<double>(n)) : Cell(); };
    std::vector<Cell> row{Cell(run.tensors[t].name), Cell(run.tensors[t].role), size_cell(run.tensors[t].size_bytes),
                          cell(epoch.memory[t].read_bytes()), cell(epoch.memory[t].all_written_bytes())};
    for (size_t l = 0; l < run.config.levels.size(); ++l) row.push_back(cell(epoch.levels[l][t].misses()));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return {};
  return "\n" + profiler::to_text(table) +
         (left_out > 0 ? fmt::format("and {} more that memory moves less for (--json lists all)\n", left_out) : "");
}

/// Bytes that each op of the steady step brings into every level, and moves to and from memory.
std::string ops_text(const CacheRun& run) {
  if (run.ops.size() < 2) return {};
  const auto column = [](std::string key, std::string title, Quantity quantity, Origin origin) {
    return profiler::Column{std::move(key), std::move(title), quantity, origin, ""};
  };
  Table table{.name = "ops",
              .columns = {column("op", "Op (second step)", Quantity::text, Origin::exact),
                          column("accesses", "Accesses", Quantity::count, Origin::simulated)},
              .rows = {},
              .row_ops = {}};
  const bool sampled = run.ops.front().sampled > 1;
  for (const profiler::CacheLevelConfig& level : run.config.levels) {
    table.columns.push_back(column(level.name + "_in_bytes", "into " + level.name, Quantity::bytes, Origin::simulated));
    if (sampled)
      table.columns.push_back(column(level.name + "_error_ratio", "±", Quantity::percent_of, Origin::simulated));
  }
  table.columns.push_back(column("memory_read_bytes", "From memory", Quantity::bytes, Origin::simulated));
  table.columns.push_back(column("memory_written_bytes", "To memory", Quantity::bytes, Origin::simulated));
  for (const CacheEpoch& op : run.ops) {
    std::vector<Cell> row{Cell(op.name), Cell(static_cast<double>(op.refs))};
    const auto cell = [&](uint64_t n) { return op.known() ? Cell(static_cast<double>(n)) : Cell(); };
    for (size_t l = 0; l < run.config.levels.size(); ++l) {
      row.push_back(cell(bytes_into(run, l, op.total(l))));
      const double misses = static_cast<double>(op.total(l).misses());
      if (sampled) row.push_back(misses > 0 ? Cell(op.miss_errors[l] / misses) : Cell());
    }
    row.push_back(cell(op.total_memory().read_bytes()));
    row.push_back(cell(op.total_memory().all_written_bytes()));
    table.rows.push_back(std::move(row));
  }
  return "\n" + profiler::to_text(table);
}

/// Which fully associative cache tells capacity from conflict.
std::string causes_text(const CacheRun& run) {
  std::string fifo;
  for (const profiler::CacheLevelConfig& level : run.config.levels) {
    if (run.config.rules.causes_by_own_policy && level.replacement == profiler::Replacement::fifo)
      fifo += (fifo.empty() ? "" : ", ") + level.name;
  }
  return fmt::format(
      "Prefetchable: misses with the lines one and two equal steps back among the last 16 that "
      "missed, "
      "but not the line itself. Capacity: a fully associative LRU cache of the level's size would "
      "miss, "
      "too (Hill 1987){}.\n",
      fifo.empty() ? std::string() : fmt::format("; for {} a FIFO one, as in Dinero IV", fifo));
}

/// Misses of levels whose lines come sector by sector.
std::string sectors_text(const CacheRun& run, const CacheEpoch& epoch) {
  std::string out;
  for (size_t l = 0; l < run.config.levels.size(); ++l) {
    if (run.config.levels[l].sector_bytes == 0 || !epoch.known()) continue;
    const CacheCounts c = epoch.total(l);
    out += fmt::format("{}: {} sectors of {} fetched ({}); {} of the misses found their line, not its sectors.\n",
                       run.config.levels[l].name, c.fetched_sectors,
                       bytes(static_cast<uint64_t>(run.config.levels[l].sector_bytes)), bytes(bytes_into(run, l, c)),
                       c.sector_misses);
  }
  return out;
}

/// How unevenly the misses fall on the sets of the first level.
std::string sets_text(const CacheRun& run, const CacheEpoch& epoch) {
  std::vector<uint64_t> sets = epoch.set_misses.front();
  const uint64_t all = std::accumulate(sets.begin(), sets.end(), uint64_t{0});
  if (all == 0 || sets.size() < 8 || epoch.sampled > 1) return {};
  std::ranges::sort(sets, std::greater<>());
  const size_t eighth = sets.size() / 8;
  const uint64_t most = std::accumulate(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(eighth), uint64_t{0});
  return fmt::format("The busiest eighth of the {} sets of {} takes {:.0f} % of its misses (12.5 % were even).\n",
                     sets.size(), run.config.levels.front().name,
                     100.0 * static_cast<double>(most) / static_cast<double>(all));
}

json curve_json(const profiler::MissCurve& curve) {
  json points = json::array();
  for (const profiler::CurvePoint& p : curve.points) {
    points.push_back({{"size_bytes", p.cache_bytes}, {"misses", p.misses}});
    if (curve.sampled()) points.back()["miss_ratio_error"] = json_number(p.miss_ratio_error);
  }
  return {{"policy", "fully associative LRU"},
          {"accesses", curve.accesses},
          {"distinct_bytes", curve.distinct_bytes},
          {"working_set_bytes", curve.working_set_bytes},
          {"points", points},
          {"origin", "simulated"},
          {"sampled_share", json_number(curve.rate)},
          {"sampled_lines", curve.sampled_lines}};
}

std::string curve_text(const profiler::MissCurve& curve) {
  std::string out = fmt::format("\nMisses of a fully associative LRU cache, by size (all accesses, simulated{}):\n",
                                curve.sampled() ? ", sampled" : "");
  if (curve.sampled())
    out += fmt::format("Sampled by lines (SHARDS): {} (twice the standard error).\n", sampling_text(curve));
  for (const profiler::CurvePoint& p : curve.points) {
    out += fmt::format("{:>10}  {:>14}  {:>8}",
                       profiler::format_quantity(static_cast<double>(p.cache_bytes), Quantity::capacity_bytes),
                       p.misses, profiler::format_quantity(p.miss_ratio, Quantity::percent_of));
    if (curve.sampled())
      out += fmt::format("  ± {}", profiler::format_quantity(p.miss_ratio_error, Quantity::percent_of));
    out += "\n";
  }
  return out;
}

}  // namespace

json cache_json(const CacheRun& run) {
  json levels = json::array();
  for (const profiler::CacheLevelConfig& level : run.config.levels) {
    levels.push_back({{"level", level.name},
                      {"size_bytes", level.size_bytes},
                      {"ways", level.ways},
                      {"line_bytes", level.line_bytes},
                      {"sector_bytes", level.sector_bytes == 0 ? json(nullptr) : json(level.sector_bytes)},
                      {"replacement", profiler::name_of(level)},
                      {"inclusion", level.inclusion == profiler::Inclusion::none     ? "none"
                                    : level.inclusion == profiler::Inclusion::victim ? "victim"
                                                                                     : "inclusive"},
                      {"write_back", level.write_back},
                      {"write_allocate", level.write_allocate},
                      {"hashed", level.hashed},
                      {"next_line_prefetch", level.next_line_prefetch},
                      {"stride_prefetch", level.stride_prefetch}});
  }
  json tensors = json::array();
  for (const CacheTensor& t : run.tensors)
    tensors.push_back(
        {{"tensor", t.name}, {"role", t.role}, {"size_bytes", t.size_bytes > 0 ? json(t.size_bytes) : json(nullptr)}});
  json epochs = json::array();
  for (const CacheEpoch& epoch : run.epochs) epochs.push_back(epoch_json(run, epoch));
  json ops = json::array();
  for (const CacheEpoch& op : run.ops) ops.push_back(op_json(run, op));
  json document = {{"what", run.what},
                   {"description", run.description},
                   {"hierarchy", {{"levels", levels}, {"text", run.config.text()}, {"origin", run.config_origin}}},
                   {"tensors", tensors},
                   {"epochs", epochs},
                   {"ops", ops},
                   {"simulation_ns", json_number(run.seconds * 1e9)}};
  if (run.trace) {
    const profiler::TraceSummary& t = *run.trace;
    document["trace"] = {{"format", profiler::name(t.format)},
                         {"lines", t.lines},
                         {"loads", t.loads},
                         {"miscellaneous_loads", t.miscellaneous},
                         {"stores", t.stores},
                         {"instruction_fetches", t.instructions},
                         {"copy_backs", t.copy_backs},
                         {"invalidations", t.invalidations}};
  }
  if (run.curve) document["curve"] = curve_json(*run.curve);
  return document;
}

std::string cache_text(const CacheRun& run) {
  std::string out = fmt::format("{}\nCaches ({}): {}\n", run.what, run.config_origin, run.config.text());
  if (!run.description.empty()) out += run.description + "\n";
  for (const CacheEpoch& epoch : run.epochs) {
    out += fmt::format("\n{}: {}\n{}", epoch.name, profiler::counted(epoch.refs, "access", "accesses"),
                       profiler::to_text(epoch_table(run, epoch)));
    const MemoryCounts m = epoch.total_memory();
    if (!epoch.known()) {
      out += "Memory: unknown: no access met a set that was simulated; sample more of them (--sample).\n";
    } else {
      out +=
          fmt::format("Memory: {} read ({} of it write-allocate{}), {} written{}\n", bytes(m.read_bytes()),
                      bytes(m.write_allocate_bytes),
                      m.prefetch_bytes > 0 ? fmt::format(", {} prefetched", bytes(m.prefetch_bytes)) : "",
                      bytes(m.all_written_bytes()),
                      m.past_caches_bytes > 0 ? fmt::format(" ({} past the caches)", bytes(m.past_caches_bytes)) : "");
    }
    if (epoch.sampled > 1) {
      out += fmt::format(
          "Sampled: 1/{} of the sets was simulated and counts are multiplied by {}; misses {} (twice the standard "
          "error between sets). Loads and stores of {} are exact; those of a further level are "
          "the misses before it, and as far off.\n",
          epoch.sampled, epoch.sampled, sampling_text(epoch, run.config), run.config.levels.front().name);
    }
    out += sectors_text(run, epoch);
    if (run.classified) out += causes_text(run);
    out += sets_text(run, epoch);
    if (run.tensors.size() > 1) out += tensors_text(run, epoch, 12);
  }
  out += ops_text(run);
  if (run.curve) out += curve_text(*run.curve);
  return out;
}

}  // namespace app::cli
