// SPDX-License-Identifier: Apache-2.0
// The tables of a sweep's file: what its writer and its reader agree on.
#pragma once

#include <array>
#include <span>

namespace profiler {

inline constexpr const char* kPredicted = "predicted";
inline constexpr const char* kFound = "found";

struct SweepTable {
  const char* name;
  const char* definition;  ///< what follows CREATE TABLE name
};

inline std::span<const SweepTable> sweep_tables() {
  static constexpr std::array kTables{
      SweepTable{"TIDE_SWEEP", "(key TEXT NOT NULL PRIMARY KEY, value)"},
      SweepTable{"TIDE_SWEEP_FIXED", "(position INTEGER NOT NULL PRIMARY KEY, word TEXT NOT NULL)"},
      SweepTable{"TIDE_SWEEP_AXIS",
                 "(axis INTEGER NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL)"},
      SweepTable{
          "TIDE_SWEEP_POINT",
          "(point INTEGER NOT NULL PRIMARY KEY, label TEXT NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL, "
          "capture TEXT NOT NULL)"},
      SweepTable{
          "TIDE_SWEEP_FIGURES",
          "(point INTEGER NOT NULL, origin TEXT NOT NULL, samples REAL, flops REAL, compulsoryBytes REAL, "
          "weightCompulsoryBytes REAL, memoryBytes REAL, step_ns REAL, roofRatio REAL, limitedBy TEXT NOT NULL)"},
      SweepTable{"TIDE_SWEEP_LINK",
                 "(point INTEGER NOT NULL, origin TEXT NOT NULL, link INTEGER NOT NULL, outer TEXT NOT NULL, inner "
                 "TEXT NOT NULL, "
                 "compulsoryBytes REAL, modelledBytes REAL, weightBytes REAL)"},
      SweepTable{"TIDE_SWEEP_SAMPLE",
                 "(point INTEGER NOT NULL, round INTEGER NOT NULL, step_ns REAL NOT NULL, steps INTEGER NOT NULL, "
                 "foreignLoadRatio REAL, clockDriftRatio REAL)"},
      // These two in the order of TIDE_SWEEP_SAMPLE; older files have none.
      SweepTable{"TIDE_SWEEP_QUEUED", "(point INTEGER NOT NULL, round INTEGER NOT NULL, queuedRatio REAL)"},
      SweepTable{
          "TIDE_SWEEP_POWER",
          "(point INTEGER NOT NULL, round INTEGER NOT NULL, spin_ns REAL, throttleEvents REAL, stepEnergy_j REAL)"},
      // Of samples that train; older files have none.
      SweepTable{"TIDE_SWEEP_LOSS",
                 "(point INTEGER NOT NULL, round INTEGER NOT NULL, steps INTEGER NOT NULL, loss REAL NOT NULL)"},
      // Of points whose caches were simulated; older files have none.
      SweepTable{"TIDE_SWEEP_SIMULATION", "(point INTEGER NOT NULL PRIMARY KEY, method TEXT NOT NULL)"},
      SweepTable{"TIDE_SWEEP_SIMULATED", "(point INTEGER NOT NULL, link INTEGER NOT NULL, simulatedBytes REAL)"},
      // Of steps that are chains of dependent operations; older files have none.
      SweepTable{"TIDE_SWEEP_CHAIN", "(point INTEGER NOT NULL, origin TEXT NOT NULL, inARow REAL, inAll REAL)"},
      // Older files have none.
      SweepTable{"TIDE_SWEEP_OPS", "(point INTEGER NOT NULL, origin TEXT NOT NULL, ops REAL)"},
  };
  return kTables;
}

}  // namespace profiler
