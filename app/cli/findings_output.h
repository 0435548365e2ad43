// SPDX-License-Identifier: Apache-2.0
// Findings as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "profiler/advice/ledger.h"
#include "profiler/analysis/findings/findings.h"

namespace app::cli {

/// {"rule", "sentence", "advice", "ops", "evidence": [...with origin...], "gain_ns", "gain_origin", "change" or null,
/// ...}.
nlohmann::json finding_json(const profiler::Capture&, const profiler::RunFinding&, size_t number);
/// {"table": "findings", "findings": [...]}, each with how often its rule was right.
nlohmann::json findings_json(const profiler::Analyzed&, std::span<const profiler::AdviceRecord>);
/// A paragraph per finding.
std::string findings_text(const profiler::Analyzed&, std::span<const profiler::AdviceRecord>);

}  // namespace app::cli
