// SPDX-License-Identifier: Apache-2.0
// write-allocate: stores that fetch from memory the lines they overwrite. Nearer links save nothing by stores past the
// caches.
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {

void find_write_allocate(const FindingInput& in, FindingList& list) {
  RunFinding f;
  double fills = 0, bytes = 0;
  for (const OpId op : in.ops_bound(Bound::memory)) {
    const LevelLimit* level = in.binding(op);
    if (level == nullptr || level->link != 0 ||
        level->write_allocate < in.rules[Rule::write_allocate_ratio] * level->bytes)
      continue;
    f.ops.push_back(op);
    f.gain_ns += in.gain_ns(op, 1 - level->write_allocate / level->bytes);
    fills += level->write_allocate, bytes += level->bytes;
  }
  if (f.ops.empty()) return;
  f.sentence = say("{} of the bytes of {} are lines fetched only to be overwritten.",
                   format_quantity(fills / bytes, Quantity::percent_of), in.types(f.ops));
  f.advice = say("Store past the caches (non-temporal), or compute in place.");
  f.evidence = {{"fill_bytes", say("fetched only to be overwritten"), fills, Quantity::bytes, in.bytes_origin(f.ops)},
                {"bound_bytes", say("through the links that bind"), bytes, Quantity::bytes, in.bytes_origin(f.ops)}};
  f.gain_how = say("each op's time without such fills, down to its next limit");
  f.no_change = say("No option of a run chooses how kernels store.");
  list.push_back(std::move(f));
}

}  // namespace profiler
