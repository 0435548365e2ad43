// SPDX-License-Identifier: Apache-2.0
// The text of resources/verdict_rules.json, built into the program.
#pragma once

namespace profiler {

const char* verdict_rules_text();

}  // namespace profiler
