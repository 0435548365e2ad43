// SPDX-License-Identifier: Apache-2.0
// The entry "tensortide" of our Chrome exports: what the events have no place for and our importer takes back.
#pragma once

#include <string>

#include "profiler/capture/capture.h"

namespace profiler {

/// One JSON object:
///   title, device, threads, created_at, arguments {key: text};
///   tracks [{kind, name, group}], in the order of the capture: an event's track is its argument "track", else its tid;
///   counters [{name, group, unit}];
///   tensors [{name, dtype, shape, role, size_bytes, alias_of (index of the tensor whose bytes it shares; absent: it
///   owns them),
///     persistent (true: it lives across steps), offset_bytes (in the arena or the persistent block; absent:
///     unknown)}];
///   ops [{name, flops (per step; null: unknown), operands [{tensor (index into tensors), role, output, read_bytes,
///   written_bytes}]}].
/// Ops without operands and FLOPs are not in it.
std::string own_description(const Capture&);

}  // namespace profiler
