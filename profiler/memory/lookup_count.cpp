// SPDX-License-Identifier: Apache-2.0
// Lines asked for, from where accesses lie in their lines.
#include "profiler/memory/lookup_count.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace profiler {
namespace {

using engine::AccessKind;
using engine::AccessStream;

uint64_t bytes_of(const AccessStream& s) { return std::max<uint64_t>(1, s.bytes); }

/// Whether no access lies across a line boundary, `bits` being those of its address and of all it moves by: then it
/// starts at a multiple of its own size or of more.
bool within_lines(uint64_t bits, uint64_t bytes, int line_bytes) {
  bits |= static_cast<uint64_t>(line_bytes);
  return bytes <= (bits & (~bits + 1));
}

}  // namespace

uint64_t lines_asked(const AccessStream& s, int64_t iterations, int line_bytes) {
  if (iterations <= 0) return 0;
  const uint64_t bytes = bytes_of(s), line = static_cast<uint64_t>(line_bytes),
                 count = static_cast<uint64_t>(iterations), stride = static_cast<uint64_t>(s.stride);
  if (within_lines(s.address | stride, bytes, line_bytes)) return count;
  // Offsets in the line come back after so many accesses.
  const uint64_t period = line >> std::min(std::countr_zero(stride | line), std::countr_zero(line));
  const auto first = [&](uint64_t accesses) {
    uint64_t lines = 0, offset = s.address % line;
    for (uint64_t i = 0; i < accesses; ++i, offset = (offset + stride) % line) lines += (offset + bytes - 1) / line + 1;
    return lines;
  };
  return count / period == 0 ? first(count) : count / period * first(period) + first(count % period);
}

void LookupCount::add(const AccessStream& s, uint64_t lines) {
  if (s.kind == AccessKind::load) counts_[s.tensor].loads += lines;
  else if (s.kind == AccessKind::store) counts_[s.tensor].stores += lines;
}

void LookupCount::group(int64_t iterations, std::span<const AccessStream> streams) {
  for (const AccessStream& s : streams) add(s, lines_asked(s, iterations, line_bytes_));
}

void LookupCount::nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) {
  if (outer <= 0 || inner <= 0) return;
  const auto aligned = [&](const engine::NestedStream& s) {
    return within_lines(s.stream.address | static_cast<uint64_t>(s.stream.stride) | static_cast<uint64_t>(s.inner) |
                            static_cast<uint64_t>(s.outer),
                        bytes_of(s.stream), line_bytes_);
  };
  for (const engine::NestedGroup& g : groups) {
    if (!std::ranges::all_of(g.streams, aligned)) return AccessSink::nest(outer, inner, groups);
  }
  for (const engine::NestedGroup& g : groups) {
    if (g.iterations <= 0) continue;
    for (const engine::NestedStream& s : g.streams)
      add(s.stream, static_cast<uint64_t>(outer) * static_cast<uint64_t>(inner) * static_cast<uint64_t>(g.iterations));
  }
}

std::vector<LookupCount::Counts> LookupCount::take() {
  return std::exchange(counts_, std::vector<Counts>(counts_.size()));
}

}  // namespace profiler
