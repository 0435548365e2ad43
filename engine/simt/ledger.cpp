// SPDX-License-Identifier: Apache-2.0
// Happens-before over streams, by the vector clocks of Reached.
#include "engine/simt/ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine::simt {
namespace {

/// The entry of a map from begin to something with `bytes` that holds an address; end(): none.
template <class Map>
auto holding(Map& map, uintptr_t address) {
  auto at = map.upper_bound(address);
  if (at == map.begin()) return map.end();
  --at;
  return address < at->first + at->second.bytes ? at : map.end();
}

std::string name_of(const Entry& entry) { return fmt::format("{} on stream {}", entry.name, entry.stream); }

}  // namespace

void Ledger::add(uintptr_t begin, size_t bytes, bool on_host, const Entry& by) {
  std::erase_if(freed_, [&](const auto& freed) {
    return freed.first < begin + bytes && begin < freed.first + freed.second.bytes;
  });
  Block block{bytes, on_host, name_of(by), {}};
  if (by.number > 0) block.past.push_back({by.name, by.stream, by.number, {begin, begin + bytes, true}});
  blocks_.insert_or_assign(begin, std::move(block));
  if (!on_host) live_bytes_ += static_cast<int64_t>(bytes);
}

Use Ledger::all_around(uintptr_t address) const {
  if (const auto block = holding(blocks_, address); block != blocks_.end())
    return {block->first, block->first + block->second.bytes, true};
  if (const auto freed = holding(freed_, address); freed != freed_.end())
    return {freed->first, freed->first + freed->second.bytes, true};
  return {};
}

bool Ledger::is_live(uintptr_t address) const { return holding(blocks_, address) != blocks_.end(); }

std::string Ledger::clash(const Block& block, uintptr_t begin, const Entry& by, Use range) {
  for (const Past& past : block.past) {
    const bool apart = past.range.end <= range.begin || range.end <= past.range.begin;
    if (apart || (!past.range.writes && !range.writes) || by.behind.includes(past.stream, past.number)) continue;
    return fmt::format(
        "{} uses bytes {} to {} of {} ({} bytes), unordered with {} on stream {}: let its stream "
        "wait "
        "for an event recorded there",
        name_of(by), range.begin - begin, range.end - begin, block.made_by, block.bytes, past.name, past.stream);
  }
  return {};
}

std::string Ledger::use(const Entry& by, const std::vector<Use>& ranges) {
  for (const Use& range : ranges) {
    const auto at = holding(blocks_, range.begin);
    if (at == blocks_.end()) {
      const auto freed = holding(freed_, range.begin);
      if (freed == freed_.end())
        return fmt::format("{} uses address {:#x}, which is no memory of the GPU", name_of(by), range.begin);
      return fmt::format("{} uses memory ({} bytes) that {} has freed", name_of(by), freed->second.bytes,
                         freed->second.by);
    }
    auto& [begin, block] = *at;
    if (range.end > begin + block.bytes) {
      return fmt::format("{} goes {} bytes beyond the end of {} ({} bytes)", name_of(by),
                         range.end - begin - block.bytes, block.made_by, block.bytes);
    }
    if (std::string wrong = clash(block, begin, by, range); !wrong.empty()) return wrong;
    // Whoever comes behind this use is behind those that it covers.
    std::erase_if(block.past, [&](const Past& past) {
      const bool covered = range.begin <= past.range.begin && past.range.end <= range.end;
      return covered && by.behind.includes(past.stream, past.number) &&
             (range.writes || (past.stream == by.stream && !past.range.writes));
    });
    block.past.push_back({by.name, by.stream, by.number, range});
  }
  return {};
}

std::string Ledger::remove(const Entry& by, uintptr_t begin) {
  const auto at = blocks_.find(begin);
  if (at == blocks_.end()) {
    const auto freed = freed_.find(begin);
    if (freed == freed_.end())
      return fmt::format("{} frees address {:#x}, which no allocation begins at", name_of(by), begin);
    return fmt::format("{} frees memory ({} bytes) that {} has freed already", name_of(by), freed->second.bytes,
                       freed->second.by);
  }
  const Block& block = at->second;
  std::string wrong = clash(block, begin, by, {begin, begin + block.bytes, true});
  freed_.insert_or_assign(begin, Freed{block.bytes, name_of(by)});
  if (!block.on_host) live_bytes_ -= static_cast<int64_t>(block.bytes);
  blocks_.erase(at);
  return wrong;
}

}  // namespace engine::simt
