// SPDX-License-Identifier: Apache-2.0
// Studies: sweeps worth knowing, ready to run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace app {

struct Study {
  std::string name;                ///< "threads"
  std::string title;               ///< "Threads"
  std::string description;         ///< what one sees with it, one or two sentences
  std::string workload;            ///< empty: whatever the user chooses
  std::vector<std::string> axes;   ///< as `--axis` has them; empty values ("dtype="): all the workload offers
  std::vector<std::string> fixed;  ///< `--set` of all points
  bool simulates = false;          ///< simulates the caches of each point, unless one chooses otherwise
  std::string samples = {};        ///< `--samples`, unless one chooses otherwise; empty: as usual
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< of the run, unless one chooses otherwise
};

/// All studies, one line each in studies.cpp.
std::span<const Study> studies();
/// Fails (usage) naming the nearest name.
engine::Result<const Study*> find_study(std::string_view name);

/// The study's axes for one workload: what it leaves open filled in; without those the user gives (`--axis` as
/// written). Fails (usage) where the workload has no such parameter.
engine::Result<std::vector<std::string>> study_axes(const Study&, std::string_view workload,
                                                    std::span<const std::string> given = {});

}  // namespace app
