// SPDX-License-Identifier: Apache-2.0
// reuse-lost: far more bytes than compulsory cross, because the working set exceeds the cache; a smaller batch may fit.
#include <algorithm>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"
#include "profiler/capture/batch.h"

namespace profiler {
namespace {

/// A working set nearer to a capacity than this does not surely fit (as in the traffic model's soft edge).
constexpr double kSurelyFits = 0.7;

/// The largest 1/2^k of the batch with which most of the ops' time has a working set that fits; nothing where no batch
/// does.
std::optional<double> fitting_part(const FindingInput& in, const std::vector<OpId>& ops) {
  const double batch = batch_of(in.capture);
  for (double part = 0.5; part * batch >= 1; part /= 2) {
    double fitting = 0;
    for (const OpId op : ops) {
      double fixed = 0;  // weights stay as large
      for (const OperandRecord& o : in.capture.operands(in.capture.ops()[op])) {
        if (o.role == Role::weight || o.role == Role::optimizer_state)
          fixed += static_cast<double>(std::max(o.read_bytes, o.written_bytes));
      }
      const double footprint = in.a.model.op_footprint_bytes[op];
      const double capacity = in.a.model.op_capacity_bytes[op][in.binding(op)->link];
      if (std::min(fixed, footprint) + (footprint - std::min(fixed, footprint)) * part <= kSurelyFits * capacity)
        fitting += in.time(op);
    }
    if (fitting >= 0.5 * in.sum_time(ops)) return part;
  }
  return {};
}

}  // namespace

void find_reuse_lost(const FindingInput& in, FindingList& list) {
  RunFinding f;
  double bytes = 0, compulsory = 0;
  for (const OpId op : in.ops_bound(Bound::memory)) {
    const LevelLimit* level = in.binding(op);
    const OpRecord& record = in.capture.ops()[op];
    const double least = compulsory_read(in.capture, record) + compulsory_written(in.capture, record);
    if (level == nullptr || !(least > 0) ||
        (level->bytes - level->write_allocate) <= in.rules[Rule::reuse_lost_ratio] * least)
      continue;
    f.ops.push_back(op);
    f.gain_ns += in.gain_ns(op, (least + level->write_allocate) / level->bytes);
    bytes += level->bytes, compulsory += least;
  }
  if (f.ops.empty()) return;
  f.sentence = say("{} move {:.1f} times their compulsory bytes: reused data has left the cache.", in.types(f.ops),
                   bytes / compulsory);
  f.evidence = {
      {"bound_bytes", say("through the links that bind"), bytes, Quantity::bytes, in.bytes_origin(f.ops)},
      {"compulsory_bytes", "compulsory", compulsory, Quantity::bytes, Origin::exact},
      {"time_ns", say("spent in these ops per step"), in.sum_time(f.ops), Quantity::duration_ns, Origin::measured}};
  f.gain_how = say("each op moves its compulsory bytes once at the bandwidth it reaches, down to its next limit");
  if (const std::optional<double> part = fitting_part(in, f.ops)) f.change = in.batch_times(*part);
  if (f.change) {
    f.advice =
        say("Use a batch of {}: the footprint (distinct bytes) of most of these ops then fits.", f.change->value);
  } else {
    f.advice = say("Process the data in blocks that fit the cache.");
    f.no_change = say("No option of a run blocks these ops' loops, and no smaller batch makes them fit.");
  }
  list.push_back(std::move(f));
}

}  // namespace profiler
