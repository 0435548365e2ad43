// SPDX-License-Identifier: Apache-2.0
// Small texts of others: the record in a report, changed rules, roofs, networks, ledgers; and the displayed form of any
// bytes.
#include <nlohmann/json.hpp>

#include "engine/base/display_text.h"
#include "engine/netfile/network_file.h"
#include "profiler/advice/ledger.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/base/csv_text.h"
#include "profiler/machine/machine.h"
#include "profiler/report/record.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/support/hostile_words.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  bool taken = profiler::record_from_json(text).ok();
  taken = profiler::VerdictRules::changed_by(text, "rules").ok() || taken;
  taken = profiler::machine_from_json(text).ok() || taken;
  if (size < 4096) taken = engine::parse_network(text, "network").ok() || taken;  // a valid one is built
  profiler::read_report_record(fuzz::file_of(data, size)).ok();
  if (const auto ledger = profiler::read_ledger(fuzz::file_of(data, size)); ledger)
    taken = taken || !ledger->trials.empty();
  fuzz::count(taken);
  for (const std::string& shown : {engine::display_line(text), engine::display_text(text), profiler::csv_text(text)}) {
    if (const std::string fault = tests::fault_of_display(shown); !fault.empty()) fuzz::finding("displayed: " + fault);
  }
  if (engine::display_line(text).find('\n') != std::string::npos) fuzz::finding("a line has a line feed");
  if (const std::string formula = tests::formula_in_csv(profiler::csv_text(text)); !formula.empty())
    fuzz::finding("a formula: " + formula);
  const bool json = text.find('\0') == std::string::npos &&
                    nlohmann::json::accept(text);  // the library ends at a zero byte, which JSON does not know
  if (json && !nlohmann::json::accept(engine::display_json(text))) fuzz::finding("JSON that is shown is none");
  return 0;
}
