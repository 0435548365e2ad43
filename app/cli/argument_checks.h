// SPDX-License-Identifier: Apache-2.0
// Checks of numbers on the command line: CLI11's own Range takes "010" as 8, and prints 1 as 1.000000.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace app::cli {

/// A whole number from `low` to `high`; as transform(), the option's variable is a number.
CLI::Validator whole_number(int64_t low, int64_t high);
/// Any number from `low` to `high`.
CLI::Validator real_number(double low, double high);

struct Counts {
  int least = 0, most = 0;
};
/// "10" or "5..20", both from `low` to `high`; fails (usage) naming the flag.
engine::Result<Counts> parse_counts(const char* flag, const std::string& text, int64_t low, int64_t high);

}  // namespace app::cli
