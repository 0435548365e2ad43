// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of the simulator's counts, joined with what the capture measured.
#include "views/cache/cache_figure.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "profiler/capture/traffic_record.h"
#include "profiler/memory/captured_access.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

using profiler::CacheCounts;
using profiler::CacheEpoch;

/// Bytes into the level as the hardware counted them over these ops; NaN: some op was not measured.
double measured_into(const profiler::Capture& capture, const std::vector<profiler::OpId>& ops,
                     const std::string& level) {
  const profiler::TrafficSource* source = capture.traffic_of(profiler::Origin::measured);
  if (source == nullptr || ops.empty()) return CacheLevelFigure::kUnknown;
  const auto link = std::ranges::find(source->links, level, &profiler::TrafficLink::inner) - source->links.begin();
  if (link == std::ssize(source->links)) return CacheLevelFigure::kUnknown;
  double sum = 0;
  for (const profiler::OpId op : ops) {
    if (capture.ops()[op].view) continue;
    const profiler::TrafficRecord* record = source->of(op, static_cast<uint32_t>(link));
    if (record == nullptr) return CacheLevelFigure::kUnknown;
    sum += record->read_bytes;
  }
  return sum;
}

CacheLevelFigure level_figure(const profiler::OpSimulation& simulation, const CacheEpoch& epoch, size_t level) {
  const profiler::CacheLevelConfig& config = simulation.config.levels[level];
  const CacheCounts counts = epoch.total(level);
  CacheLevelFigure out;
  out.name = text(config.name);
  profiler::CacheConfig alone;
  alone.levels = {config};
  out.text = cache_words(alone).section(QLatin1Char(' '), 1);  // without the name
  out.size_bytes = static_cast<double>(config.size_bytes);
  const auto known = [&](uint64_t n) { return epoch.known() ? static_cast<double>(n) : CacheLevelFigure::kUnknown; };
  out.accesses = level == 0 ? static_cast<double>(counts.accesses()) : known(counts.accesses());
  out.misses = known(counts.misses());
  out.write_backs = known(counts.write_backs);
  out.local_ratio = epoch.miss_ratio(level);
  out.global_ratio = epoch.global_miss_ratio(level);
  out.fetched_bytes = known(counts.fetched_bytes(config));
  if (simulation.classified) {
    out.compulsory = static_cast<double>(counts.compulsory);
    out.capacity = static_cast<double>(counts.capacity);
    out.conflict = static_cast<double>(counts.conflict);
  }
  return out;
}

std::vector<CacheTensorFigure> tensor_figures(const profiler::OpSimulation& simulation, const CacheEpoch& epoch,
                                              size_t level) {
  std::vector<CacheTensorFigure> out;
  for (size_t t = 0; t < simulation.tensors.size() && t < epoch.levels[level].size(); ++t) {
    const CacheCounts& counts = epoch.levels[level][t];
    if (counts.accesses() == 0) continue;
    const profiler::SimulatedTensor& tensor = simulation.tensors[t];
    out.push_back({t, tensor.tensor, text(tensor.name), tensor.role,
                   tensor.tensor == profiler::kNoTensor ? 0 : static_cast<double>(tensor.size_bytes),
                   static_cast<double>(counts.accesses()),
                   epoch.known(t) ? static_cast<double>(counts.misses()) : CacheLevelFigure::kUnknown,
                   epoch.miss_ratio(level, t)});
  }
  std::ranges::stable_sort(out, std::ranges::greater{},
                           [](const CacheTensorFigure& t) { return std::isnan(t.misses) ? -1 : t.misses; });
  return out;
}

}  // namespace

QString policy_words(const std::string& name) {
  if (name == "plru") return QObject::tr("tree PLRU");
  if (name == "lru3plru4") return QObject::tr("LRU of PLRU trees");
  const QStringList parts = text(name).toUpper().split(QLatin1Char('_'));  // "QLRU (H11, M1, R0, U0)"
  if (parts.size() < 4) return parts.join(QLatin1Char(' '));
  return QStringLiteral("%1 (%2)").arg(parts.front(), parts.mid(1).join(QStringLiteral(", ")));
}

QString cache_words(const profiler::CacheConfig& config) {
  QStringList levels;
  for (const profiler::CacheLevelConfig& level : config.levels) {
    levels << text(level_text(level, ", " + policy_words(name_of(level)).toStdString()));
  }
  return levels.join(QStringLiteral("; "));
}

CacheFigure make_cache_figure(const profiler::OpSimulation& simulation, size_t epoch, const profiler::Capture& capture,
                              const std::vector<profiler::OpId>& ops) {
  CacheFigure figure;
  if (epoch >= simulation.epochs.size()) return figure;
  const CacheEpoch& counts = simulation.epochs[epoch];
  figure.classified = simulation.classified;
  figure.sampled = counts.sampled;
  if (counts.known()) figure.set_misses = counts.set_misses;
  for (size_t l = 0; l < simulation.config.levels.size(); ++l) {
    figure.levels.push_back(level_figure(simulation, counts, l));
    figure.levels.back().measured_bytes = measured_into(capture, ops, simulation.config.levels[l].name);
    figure.tensors.push_back(tensor_figures(simulation, counts, l));
  }
  const profiler::TrafficSource* measured = capture.traffic_of(profiler::Origin::measured);
  figure.measured_reason =
      measured == nullptr
          ? QObject::tr("Not measured: this capture holds no counts of the processor's hardware counters.")
          : text(measured->method);
  return figure;
}

profiler::Table cache_view_table(const profiler::OpSimulation& simulation, const CacheFigure& figure) {
  using profiler::Cell;
  using profiler::Origin;
  using profiler::Quantity;
  profiler::Table table;
  table.name = "cache";
  table.columns = {
      {"level", "Level", Quantity::text, Origin::specified, "Cache level, nearest first"},
      {"tensor", "Tensor", Quantity::text, Origin::exact, "Whose bytes; all: the level's sum"},
      {"role", "Role", Quantity::text, Origin::exact, "What the tensor is to the op"},
      {"lookups_count", "Look-ups", Quantity::count, Origin::simulated, "Accesses to lines of the level"},
      {"misses_count", "Misses", Quantity::count, Origin::simulated, "Accesses that missed"},
      {"miss_ratio", "Miss ratio", Quantity::percent_of, Origin::simulated, "misses / accesses of the level"},
      {"compulsory_count", "Compulsory", Quantity::count, Origin::simulated, "First use of a line"},
      {"capacity_count", "Capacity", Quantity::count, Origin::simulated,
       "A fully associative LRU cache of this size would miss, too"},
      {"conflict_count", "Conflict", Quantity::count, Origin::simulated,
       "The rest: lines that compete for the same set"},
      {"fetched_bytes", "Fetched", Quantity::bytes, Origin::simulated,
       "Lines had from the next level, for misses and prefetches, in bytes"},
      {"measured_bytes", "Measured", Quantity::bytes, Origin::measured, "Fetched as the hardware counted it"}};
  for (size_t l = 0; l < figure.levels.size(); ++l) {
    const CacheLevelFigure& level = figure.levels[l];
    table.rows.push_back({Cell(level.name.toStdString()), Cell(std::string("all")), Cell(std::string()),
                          Cell(level.accesses), Cell(level.misses), Cell(level.local_ratio), Cell(level.compulsory),
                          Cell(level.capacity), Cell(level.conflict), Cell(level.fetched_bytes),
                          Cell(level.measured_bytes)});
    for (const CacheTensorFigure& tensor : figure.tensors[l]) {
      const double line = simulation.config.line_bytes();
      table.rows.push_back({Cell(level.name.toStdString()), Cell(tensor.name.toStdString()),
                            Cell(std::string(name(tensor.role))), Cell(tensor.accesses), Cell(tensor.misses),
                            Cell(tensor.ratio), Cell(), Cell(), Cell(), Cell(tensor.misses * line), Cell()});
    }
  }
  return table;
}

double busiest_eighth(const std::vector<uint64_t>& set_misses) {
  const uint64_t all = std::accumulate(set_misses.begin(), set_misses.end(), uint64_t{0});
  if (all == 0 || set_misses.size() < 8) return CacheLevelFigure::kUnknown;
  std::vector<uint64_t> sorted = set_misses;
  std::ranges::sort(sorted, std::ranges::greater{});
  const auto most = std::accumulate(sorted.begin(), sorted.begin() + std::ssize(sorted) / 8, uint64_t{0});
  return static_cast<double>(most) / static_cast<double>(all);
}

engine::Result<profiler::AccessDescription> describe_ops(std::shared_ptr<const profiler::Capture> capture,
                                                         const std::vector<profiler::OpId>& ops, const QString& title,
                                                         uint64_t address_limit, int* left_out) {
  auto made = profiler::CapturedStep::make(capture, address_limit);
  if (!made) return made.error();
  const auto step = std::make_shared<const profiler::CapturedStep>(*std::move(made));
  std::vector<profiler::OpId> described;
  for (const profiler::OpId op : ops) {
    if (step->objection(op).empty()) described.push_back(op);
  }
  *left_out = static_cast<int>(ops.size() - described.size());
  if (described.empty()) return engine::refused_error(ops.empty() ? "no op runs here" : step->objection(ops.front()));
  profiler::AccessDescription out;
  out.title = title.toStdString();
  for (const profiler::TensorRecord& t : capture->tensors()) {
    const bool owns = t.alias_of == profiler::kNoTensor;
    out.tensors.push_back(
        {t.id, std::string(capture->name(t.name)), t.role, step->address(t.id), owns ? t.size_bytes : 0});
  }
  out.tensors.push_back({profiler::kNoTensor, "(packed panels)", engine::Role::workspace, step->panels_address(),
                         static_cast<int64_t>(engine::access::kWorkspaceBytes)});
  out.describe = [step, described](engine::AccessSink& sink) {
    auto weakest = engine::access::Fidelity::loops;
    for (const profiler::OpId op : described) weakest = std::max(weakest, step->describe(op, sink));
    return weakest;
  };
  return out;
}

profiler::CacheConfig machine_caches(const profiler::Machine& machine, QString* assumed) {
  assumed->clear();
  if (auto config = profiler::cache_config_of(machine)) return *config;
  profiler::CacheConfig config;
  for (const profiler::MemoryLevel& level : machine.levels) {
    const int64_t size = level.effective_size_bytes > 0 ? level.effective_size_bytes : level.specified_size_bytes;
    const int ways = config.levels.empty() ? 8 : 16;
    if (level.name == "DRAM" || size < int64_t{ways} * level.line_bytes ||
        config.levels.size() + 1 > profiler::kMaxSimulatedLevels)
      break;
    const profiler::CacheGeometry geometry =
        profiler::closest_geometry(size, {level.name, size, level.line_bytes, ways, 1});
    profiler::CacheLevelConfig next{
        .name = level.name, .size_bytes = geometry.sets * geometry.ways * level.line_bytes, .ways = geometry.ways};
    next.line_bytes = level.line_bytes;
    config.levels.push_back(next);
  }
  if (!config.levels.empty() && profiler::check(config)) {
    *assumed = QObject::tr("ways and policy assumed");
    return config;
  }
  config.levels.clear();
  config.levels.push_back({.name = "L1", .size_bytes = 32 << 10, .ways = 8});
  config.levels.push_back({.name = "L2", .size_bytes = 1 << 20, .ways = 16});
  config.levels.push_back({.name = "L3", .size_bytes = 16 << 20, .ways = 16});
  *assumed = QObject::tr("assumed: this capture does not hold the caches of its machine");
  return config;
}

}  // namespace views
