// SPDX-License-Identifier: Apache-2.0
// The sources of figures that a run on a device may have. Some every run has, some are asked for, some are not here,
// with the reason.
#pragma once

#include <string>
#include <vector>

namespace app {

struct CollectorChoice {
  std::string name;        ///< as in --collect: "perf"
  std::string title;       ///< "CPU counters: measured bytes per cache level"
  bool always = false;     ///< every run has it, where it is available
  bool available = false;  ///< it works on this machine
  bool taken = true;       ///< a run on the device may ask for it
  std::string why;         ///< also where it is available: what was found
  std::string remedy;      ///< empty: nothing is to be done
};

/// All of them, in the order of their catalog. `device`: "cpu", "cuda", "emu:0".
std::vector<CollectorChoice> collector_choices_on(const std::string& device);
/// What --collect takes of these names: "ops,simulate"; empty: nothing besides what every run has.
std::string collect_argument(const std::vector<std::string>& names);

}  // namespace app
