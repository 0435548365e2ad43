// SPDX-License-Identifier: Apache-2.0
// Any bytes as a sweep's file, and what is computed and told of it.
#include "profiler/sweep/curve.h"
#include "profiler/sweep/file.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/support/hostile_words.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto sweep = profiler::open_sweep(fuzz::file_of(data, size));
  fuzz::count(sweep.ok());
  if (!sweep) {
    if (sweep.error().message.empty()) fuzz::finding("refused without a word");
    return 0;
  }
  for (const profiler::Table& table :
       {profiler::sweep_table(*sweep), profiler::sweep_digest(*sweep), profiler::sweep_series_table(*sweep)}) {
    if (const std::string fault =
            tests::fault_of_display(profiler::to_text(table) + profiler::to_csv(table) + profiler::to_json(table));
        !fault.empty())
      fuzz::finding("a sweep shows " + fault);
  }
  return 0;
}
