// SPDX-License-Identifier: Apache-2.0
// Counts kernels by their tiles.
#include "profiler/analysis/winograd_ops.h"

#include "profiler/base/say.h"
#include "profiler/base/words.h"

namespace profiler {

WinogradOps winograd_ops(const Capture& capture) {
  WinogradOps ops;
  for (const OpRecord& op : capture.ops()) {
    const int tile = capture.facts(op.id).winograd_tile;
    ops.of_2 += tile == 2 ? 1 : 0;
    ops.of_4 += tile == 4 ? 1 : 0;
  }
  return ops;
}

std::string winograd_words(const WinogradOps& ops) {
  if (ops.count() == 0) return {};
  const std::string tiles = ops.of_2 == 0   ? " F(4x4, 3x3)"
                            : ops.of_4 == 0 ? " F(2x2, 3x3)"
                                            : say(": {} by F(4x4, 3x3), {} by F(2x2, 3x3)", ops.of_4, ops.of_2);
  return say("{} ran by Winograd's minimal filtering{}; {} FLOPs are those of the filtered form",
             counted(ops.count(), "op"), tiles, ops.count() == 1 ? say("its") : say("their"));
}

}  // namespace profiler
