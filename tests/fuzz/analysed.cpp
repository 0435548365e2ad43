// SPDX-License-Identifier: Apache-2.0
// What a changed capture with right checksums does to all that is computed and shown: every table in every format, and
// a comparison with the whole one.
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/compare/comparison.h"
#include "profiler/store/capture_file.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/support/hostile_words.h"
#include "tests/support/sample_capture.h"

namespace fuzz {
std::string sealed_capture(const uint8_t* data, size_t size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto capture = profiler::open_capture(fuzz::sealed_capture(data, size));
  fuzz::count(capture.ok());
  if (!capture) return 0;
  const auto analyzed = profiler::analyze(*capture);
  for (const std::string& name : profiler::table_names()) {
    if (name == "summary" || name == "findings") continue;
    const auto table = profiler::table_by_name(*analyzed, name, profiler::OpsBy::op);
    if (!table) continue;
    for (const std::string& text : {profiler::to_text(*table), profiler::to_csv(*table), profiler::to_json(*table)}) {
      if (const std::string fault = tests::fault_of_display(text); !fault.empty())
        fuzz::finding(name + " shows " + fault);
    }
  }
  static const auto whole = profiler::analyze(tests::sample_capture());
  const auto comparison = profiler::compare(profiler::side_of("a", whole), profiler::side_of("b", analyzed));
  if (const std::string fault = tests::fault_of_display(profiler::to_text(profiler::compare_table(comparison)));
      !fault.empty())
    fuzz::finding("compare shows " + fault);
  return 0;
}
