// SPDX-License-Identifier: Apache-2.0
// Findings as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "profiler/analysis/findings.h"

namespace app::cli {

/// {"rule", "sentence", "advice", "ops", "evidence": [...with origin...], "gain_ns", "gain_origin", "change" or null, ...}.
nlohmann::json finding_json(const profiler::Capture&, const profiler::Finding&, size_t number);
/// {"table": "findings", "findings": [...]}.
nlohmann::json findings_json(const profiler::Analyzed&);
/// A paragraph per finding.
std::string findings_text(const profiler::Analyzed&);

}  // namespace app::cli
