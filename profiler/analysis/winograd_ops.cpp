// SPDX-License-Identifier: Apache-2.0
// Counts ops by their tiles, and adds up their FLOPs and times.
#include "profiler/analysis/winograd_ops.h"

#include <cmath>

#include "profiler/analysis/verdict/limits.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/memory/op_access.h"

namespace profiler {

WinogradOps winograd_ops(const Capture& capture) {
  WinogradOps ops;
  for (const OpRecord& op : capture.ops()) {
    const int tile = capture.facts(op.id).winograd_tile;
    ops.of_2 += tile == 2 ? 1 : 0;
    ops.of_4 += tile == 4 ? 1 : 0;
    if (tile == 0) continue;
    ops.flops += op.flops;
    ops.direct_flops += direct_flops(capture, op).value_or(kUnknown);
  }
  return ops;
}

WinogradOps winograd_ops(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  WinogradOps ops = winograd_ops(capture);
  ops.time_ns = ops.direct_roof_ns = 0;
  for (const OpRecord& op : capture.ops()) {
    if (capture.facts(op.id).winograd_tile == 0) continue;
    const OpLimits limits = op_limits(capture, analyzed.model, op);
    const Spread& time = analyzed.times[op.id].ns;
    ops.time_ns += time.samples > 0 ? time.median : kUnknown;
    ops.direct_roof_ns += direct_roof_ns(capture, op, limits).value_or(kUnknown);
  }
  return ops;
}

std::string winograd_words(const WinogradOps& ops) {
  if (ops.count() == 0) return {};
  const std::string tiles = ops.of_2 == 0   ? " F(4x4, 3x3)"
                            : ops.of_4 == 0 ? " F(2x2, 3x3)"
                                            : say(": {} by F(4x4, 3x3), {} by F(2x2, 3x3)", ops.of_4, ops.of_2);
  const std::string ran = say("{} ran by Winograd's minimal filtering{}", counted(ops.count(), "op"), tiles);
  const std::string flops = format_quantity(ops.flops, Quantity::flops);
  if (std::isnan(ops.direct_flops)) return ran;
  const std::string direct = format_quantity(ops.direct_flops, Quantity::flops);
  const std::string words = ran + (ops.count() == 1 ? say("; it computes {}, direct sums {}", flops, direct)
                                                    : say("; they compute {}, direct sums {}", flops, direct));
  if (!(ops.direct_roof_ns > ops.time_ns)) return words;  // or one of them is not known
  const std::string time = format_quantity(ops.time_ns, Quantity::duration_ns),
                    roof = format_quantity(ops.direct_roof_ns, Quantity::duration_ns);
  return words + ". " +
         (ops.count() == 1 ? say("It took {}; direct sums take at least {} at the measured peak.", time, roof)
                           : say("They took {}; direct sums take at least {} at the measured peak.", time, roof));
}

}  // namespace profiler
