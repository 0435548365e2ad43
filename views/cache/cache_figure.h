// SPDX-License-Identifier: GPL-3.0-or-later
// What the cache view shows, as numbers: levels, tensors, sets, curve and first accesses of one simulation; no
// geometry, no widget.
#pragma once

#include <QString>
#include <QStringList>
#include <limits>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/memory/op_simulation.h"

namespace views {

/// Of one cache level. Counts are line look-ups.
struct CacheLevelFigure {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  QString name, text;  ///< "L1", "48 KiB 12-way, LRU of PLRU trees"
  double size_bytes = 0;
  double accesses = 0, misses = 0,
         write_backs =
             0;  ///< misses, write-backs, look-ups beyond the first level: NaN where CacheEpoch::known() is false
  double compulsory = kUnknown, capacity = kUnknown, conflict = kUnknown;  ///< NaN: not classified
  double local_ratio = kUnknown;     ///< CacheEpoch::miss_ratio(); NaN: nothing reached it, or nothing is known
  double global_ratio = kUnknown;    ///< misses / look-ups of the first level: CacheEpoch::global_miss_ratio()
  double fetched_bytes = 0;          ///< had from the next level: CacheCounts::fetched_bytes(); NaN: unknown
  double measured_bytes = kUnknown;  ///< fetched into this level as counted by the hardware; NaN: not measured
  double error() const { return fetched_bytes / measured_bytes - 1; }  ///< of the simulation; NaN: unknown
};

struct CacheTensorFigure {
  size_t tensor = 0;  ///< into OpSimulation::tensors
  profiler::TensorId id = profiler::kNoTensor;
  QString name;
  engine::Role role = engine::Role::workspace;
  double size_bytes = 0;                      ///< 0: unknown
  double accesses = 0, misses = 0;            ///< misses: NaN where no access of it met a simulated set
  double ratio = CacheLevelFigure::kUnknown;  ///< CacheEpoch::miss_ratio()
};

struct CacheFigure {
  std::vector<CacheLevelFigure> levels;  ///< nearest first
  std::vector<std::vector<CacheTensorFigure>>
      tensors;  ///< per level, most misses first, unknown ones last; those without look-ups left out
  std::vector<std::vector<uint64_t>> set_misses;  ///< per level; empty: no simulated set was met
  bool classified = false;
  bool more_follows = false;  ///< the exact simulation is under way, with causes and curve
  int sampled = 1;
  QString measured_reason;  ///< why nothing is measured, and what would help
};

/// Figures of one epoch ("cold": 0, "warm": 1). `ops`: those simulated, in `capture`; what is measured of them stands
/// beside.
CacheFigure make_cache_figure(const profiler::OpSimulation&, size_t epoch, const profiler::Capture& capture,
                              const std::vector<profiler::OpId>& ops);

/// One row per level and tensor: what *Show data* lists.
profiler::Table cache_view_table(const profiler::OpSimulation&, const CacheFigure&);

/// Which share of a level's misses the busiest eighth of its sets takes; NaN: fewer than eight sets, or no misses.
double busiest_eighth(const std::vector<uint64_t>& set_misses);

/// Accesses of several ops one after the other; those that cannot be described are left out and counted in `left_out`.
engine::Result<profiler::AccessDescription> describe_ops(std::shared_ptr<const profiler::Capture>,
                                                         const std::vector<profiler::OpId>& ops, const QString& title,
                                                         uint64_t address_limit, int* left_out);

/// A replacement policy by its name in CacheConfig ("lru3plru4") in words: "LRU of PLRU trees".
QString policy_words(const std::string& name);
/// CacheConfig::text() with its policies in words, levels apart: "L1 48 KiB 12-way, LRU of PLRU trees; L2 …".
QString cache_words(const profiler::CacheConfig&);

/// The caches of the capture's machine; where it knows none, a common processor's, and `assumed` says so.
profiler::CacheConfig machine_caches(const profiler::Machine&, QString* assumed);

}  // namespace views
