// SPDX-License-Identifier: Apache-2.0
// memory-bound: half as many bytes in the next narrower number format.
#include <algorithm>
#include <limits>
#include <set>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

/// Training in 16 bits keeps parameters and their optimiser state in f32 (Micikevicius et al., ICLR 2018): what updates
/// them moves as much as before.
bool stays_wide(const FindingInput& in, const OpRecord& op) {
  if (engine::size_bytes(dtype_of(in.capture, op)) != 4) return false;
  return op.phase == Phase::update || std::ranges::any_of(in.capture.operands(op), [](const OperandRecord& o) {
           return o.role == Role::optimizer_state;
         });
}

/// What training in 16 bits adds: each f32 parameter is read and written in half as many bytes at every step, its
/// gradient the other way. 0 for a run that updates nothing (its weights are kept narrow); NaN: no roof is known for
/// it.
double casts_ns(const FindingInput& in) {
  const std::vector<OpRecord>& ops = in.capture.ops();
  if (!in.a.model.known) return std::numeric_limits<double>::quiet_NaN();
  if (std::ranges::none_of(ops, [&](const OpRecord& op) { return stays_wide(in, op); })) return 0;
  std::set<TensorId> weights;
  double bytes = 0;
  for (const OpRecord& op : ops) {
    if (op.view || stays_wide(in, op)) continue;
    for (const OperandRecord& o : in.capture.operands(op)) {
      const TensorRecord& t = in.capture.tensors()[o.tensor];
      if (o.output || o.role != Role::weight || t.dtype != engine::DType::float32) continue;
      if (weights.insert(t.alias_of == kNoTensor ? t.id : t.alias_of).second)
        bytes += static_cast<double>(t.size_bytes);
    }
  }
  const auto roof = traffic_bandwidth(in.capture.machine(), in.a.model.links.front(), in.a.model.links.size() == 1,
                                      3 * bytes, 1.5 * bytes, std::max(1, in.capture.run().threads));
  // Read 1 + 1/2 and written 1/2 + 1 of the f32 bytes; as many are fetched to be overwritten.
  return bytes == 0 ? 0 : roof ? 4.5 * bytes / *roof * 1e9 : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void find_memory_bound(const FindingInput& in, FindingList& list) {
  const std::optional<RunChange> change = in.narrower();
  RunFinding f;
  std::vector<OpId> wide;
  double bytes = 0, compulsory = 0;  // of ops whose levels no probe measured: a GPU's
  for (const OpId op : in.ops_bound(Bound::memory)) {
    const engine::DType dtype = dtype_of(in.capture, in.capture.ops()[op]);
    if (engine::size_bytes(dtype) < 4) continue;  // narrow already
    if (stays_wide(in, in.capture.ops()[op])) {
      wide.push_back(op);
      continue;
    }
    f.ops.push_back(op);
    f.gain_ns += in.gain_ns(op, 0.5);
    const OpRecord& record = in.capture.ops()[op];
    if (const LevelLimit* level = in.binding(op)) bytes += level->bytes;
    else compulsory += compulsory_read(in.capture, record) + compulsory_written(in.capture, record);
  }
  if (f.ops.empty()) return;
  const double time = in.sum_time(f.ops), casts = casts_ns(in);
  f.sentence =
      say("{} wait for memory: {} of a step ({}).", in.types(f.ops), format_quantity(time, Quantity::duration_ns),
          format_quantity(time / in.step_ns, Quantity::percent_of));
  if (!wide.empty())
    f.besides =
        say("So do {}, which are not counted: training in 16 bits keeps weights "
            "and their state in f32.",
            in.types(wide));
  f.advice = change ? say("Use a narrower number format: half as many bytes.")
                    : say("A narrower number format would halve their bytes.");
  f.evidence = {{"time_ns", say("spent in these ops per step"), time, Quantity::duration_ns, Origin::measured}};
  if (bytes > 0) {
    f.evidence.push_back(
        {"bound_bytes", say("through the links that bind"), bytes, Quantity::bytes, in.bytes_origin(f.ops)});
  }
  if (compulsory > 0) {
    f.evidence.push_back(
        {"compulsory_bytes", say("compulsory bytes of these ops"), compulsory, Quantity::bytes, Origin::exact});
  }
  f.gain_how = say("each op in half its time, down to its next limit; without the cost of converting formats");
  if (casts > 0) {
    f.gain_ns = std::max(0.0, f.gain_ns - casts);
    f.evidence.push_back({"casts_ns", say("added for casts of weights and their gradients"), casts,
                          Quantity::duration_ns, Origin::modelled});
    f.gain_how =
        say("each op in half its time, down to its next limit, less the casts of weights and their "
            "gradients");
  }
  f.change = change;
  if (!change)
    f.no_change =
        in.model_file() ? say("A model file has its own: export it in a narrower one.") : say("This run takes none.");
  list.push_back(std::move(f));
}

}  // namespace profiler
