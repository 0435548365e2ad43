// SPDX-License-Identifier: Apache-2.0
// Roots of views and the cutting of the arena into blocks.
#include "profiler/memory/byte_ranges.h"

#include <algorithm>
#include <map>
#include <queue>

namespace profiler {
namespace {

/// Above this many (operand, block) touches per step the arena is not cut: the model must stay
/// interactive.
constexpr double kMaxTouches = 5e6;

struct Placed {
  TensorId tensor;
  int64_t begin, end;  // bytes
  OpId first, last;    // lifetime, both inclusive
};

/// Whether no two tensors that are alive at the same op overlap in memory.
bool consistent(std::vector<Placed> placed) {
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.first < b.first; });
  using Expiry = std::pair<OpId, int64_t>;  // last op, begin byte
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> expiring;
  std::map<int64_t, int64_t> alive;  // begin -> end
  for (const Placed& p : placed) {
    while (!expiring.empty() && expiring.top().first < p.first) {
      alive.erase(expiring.top().second);
      expiring.pop();
    }
    const auto next = alive.lower_bound(p.begin);
    if (next != alive.end() && next->first < p.end) return false;
    if (next != alive.begin() && std::prev(next)->second > p.begin) return false;
    alive.emplace(p.begin, p.end);
    expiring.emplace(p.last, p.begin);
  }
  return true;
}

}  // namespace

ByteRanges::ByteRanges(const Capture& capture) {
  resolve_roots(capture);
  by_address_ = place_by_address(capture);
  if (!by_address_) place_apart();
}

void ByteRanges::resolve_roots(const Capture& capture) {
  const auto& tensors = capture.tensors();
  root_.resize(tensors.size());
  root_bytes_.assign(tensors.size(), 0);
  for (size_t i = 0; i < tensors.size(); ++i) {
    root_[i] = tensors[i].alias_of == kNoTensor ? static_cast<TensorId>(i) : tensors[i].alias_of;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (root_[i] == i) root_bytes_[i] = static_cast<double>(tensors[i].size_bytes);
  }
  // A record without a size still moves what its operands name.
  for (const OperandRecord& o : capture.operands()) {
    double& bytes = root_bytes_[root_[o.tensor]];
    bytes = std::max(bytes, static_cast<double>(std::max(o.read_bytes, o.written_bytes)));
  }
}

bool ByteRanges::place_by_address(const Capture& capture) {
  const auto& tensors = capture.tensors();
  std::vector<Placed> arena;
  std::vector<size_t> at(tensors.size(), SIZE_MAX);
  for (const TensorRecord& t : tensors) {
    if (root_[t.id] != t.id || t.persistent) continue;
    if (t.size_bytes == 0) continue;
    if (t.size_bytes > (int64_t{1} << 60) || t.offset_bytes > (int64_t{1} << 60))
      return false;  // their sum may not fit
    at[t.id] = arena.size();
    arena.push_back({t.id, t.offset_bytes, t.offset_bytes + t.size_bytes, t.first_op, std::max(t.first_op, t.last_op)});
  }
  for (const TensorRecord& t : tensors) {  // a view keeps its root alive
    const size_t i = at[root_[t.id]];
    if (i == SIZE_MAX || root_[t.id] == t.id) continue;
    arena[i].first = std::min(arena[i].first, t.first_op);
    arena[i].last = std::max(arena[i].last, t.last_op);
  }
  if (arena.empty() || !consistent(arena)) return false;

  std::vector<int64_t> cuts;
  for (const Placed& p : arena) {
    cuts.push_back(p.begin);
    cuts.push_back(p.end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  const auto index = [&](int64_t byte) {
    return static_cast<uint32_t>(std::lower_bound(cuts.begin(), cuts.end(), byte) - cuts.begin());
  };
  ranges_.assign(tensors.size(), {});
  block_bytes_.clear();
  for (size_t i = 0; i + 1 < cuts.size(); ++i) block_bytes_.push_back(static_cast<double>(cuts[i + 1] - cuts[i]));
  for (const Placed& p : arena) ranges_[p.tensor] = {index(p.begin), index(p.end)};
  for (const TensorRecord& t : tensors) {
    if (root_[t.id] != t.id || at[t.id] != SIZE_MAX) continue;
    ranges_[t.id] = {static_cast<uint32_t>(block_bytes_.size()), static_cast<uint32_t>(block_bytes_.size() + 1)};
    block_bytes_.push_back(root_bytes_[t.id]);
  }
  double touches = 0;
  for (const OperandRecord& o : capture.operands()) {
    const BlockRange r = blocks(o.tensor);
    touches += r.last - r.first;
  }
  return touches <= kMaxTouches;
}

void ByteRanges::place_apart() {
  block_bytes_.clear();
  ranges_.assign(root_.size(), {});
  for (size_t i = 0; i < root_.size(); ++i) {
    if (root_[i] != i) continue;
    const auto block = static_cast<uint32_t>(block_bytes_.size());
    ranges_[i] = {block, block + 1};
    block_bytes_.push_back(root_bytes_[i]);
  }
}

}  // namespace profiler
