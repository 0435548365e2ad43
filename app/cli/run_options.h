// SPDX-License-Identifier: Apache-2.0
// The options that say what to run: common to run, sweep and whatever else runs something.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "app/base/workbench.h"

namespace app::cli {

/// As given on the command line, unchecked.
struct RunOptions {
  std::string workload, preset;
  std::string config;                         ///< of --config: takes the place of the workload llm
  std::map<std::string, std::string> values;  ///< of run settings, by name; absent or empty: not given
  std::vector<std::string> settings;          ///< KEY=VALUE of --set
  std::vector<std::string> inputs;            ///< files of --input
  std::string weights;                        ///< of --weights
  std::string mean, scale;                    ///< of pictures among them

  /// Empty: not given.
  std::string value(const std::string& name) const;
};

/// Adds the workload and all of these options to a verb.
void add_run_options(CLI::App& verb, RunOptions&);
/// Those of them that say what is computed, not how: the graph. `subject`: what the positional argument may be.
void add_graph_options(CLI::App& verb, RunOptions&, const std::string& subject);

/// Adds --input, --mean and --scale, which recorded commands have too.
void add_input_options(CLI::App& verb, RunOptions&);

/// Checks every value; fails (usage, or refused for what this version has not got) naming the flag. Without output and
/// command.
engine::Result<RunRequest> make_request(const RunOptions&);

}  // namespace app::cli
