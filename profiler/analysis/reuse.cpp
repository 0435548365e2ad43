// SPDX-License-Identifier: Apache-2.0
// Reuse distances of buffers in one pass over two steps' ops, with a tree of sums by last use.
#include "profiler/analysis/reuse.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

/// Sums over places, each changed in logarithmic time (Fenwick 1994).
class Sums {
 public:
  explicit Sums(size_t places) : tree_(places + 1) {}
  void add(size_t place, double amount) {
    for (size_t i = place + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += amount;
  }
  /// Over all places before `end`.
  double before(size_t end) const {
    double sum = 0;
    for (size_t i = end; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }

 private:
  std::vector<double> tree_;
};

TensorId owner_of(const Capture& capture, TensorId id) {
  const TensorId owner = capture.tensors()[id].alias_of;
  return owner == kNoTensor ? id : owner;
}

/// Buffers that an op touches, each once.
std::vector<TensorId> touched(const Capture& capture, const OpRecord& op) {
  std::vector<TensorId> buffers;
  for (const OperandRecord& operand : capture.operands(op)) {
    if (operand.read_bytes + operand.written_bytes > 0) buffers.push_back(owner_of(capture, operand.tensor));
  }
  std::ranges::sort(buffers);
  buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
  return buffers;
}

std::vector<const MemoryLevel*> caches_of(const Capture& capture) {
  std::vector<const MemoryLevel*> caches;
  for (const MemoryLevel& level : capture.machine().levels) {
    if (level.name != "DRAM" && level.effective_size_bytes > 0) caches.push_back(&level);
  }
  return caches;
}

/// The first cache that holds so many bytes; empty: none does.
std::string level_for(const std::vector<const MemoryLevel*>& caches, double bytes) {
  for (const MemoryLevel* level : caches) {
    if (bytes <= static_cast<double>(level->effective_size_bytes)) return level->name;
  }
  return "DRAM";
}

}  // namespace

double BufferReuse::shortest() const { return distances.empty() ? kUnknown : *std::ranges::min_element(distances); }
double BufferReuse::longest() const { return distances.empty() ? kUnknown : *std::ranges::max_element(distances); }

std::vector<BufferReuse> buffer_reuse(const Capture& capture) {
  std::vector<std::vector<TensorId>> ops;
  for (const OpRecord& op : capture.ops()) {
    if (!op.view) ops.push_back(touched(capture, op));
  }
  std::vector<BufferReuse> found;
  std::unordered_map<TensorId, size_t> at;    // in `found`
  std::unordered_map<TensorId, size_t> last;  // place of the last use
  Sums sums(2 * ops.size());
  double all = 0;
  for (size_t place = 0; place < 2 * ops.size(); ++place) {
    const size_t op = place % ops.size();
    const bool counts = place >= ops.size();  // the second step; the first one warms up
    std::vector<std::pair<TensorId, size_t>> before;
    for (const TensorId id : ops[op]) {
      const auto bytes = static_cast<double>(capture.tensors()[id].size_bytes);
      if (const auto known = last.find(id); known != last.end()) {
        before.emplace_back(id, known->second);
        sums.add(known->second, -bytes);
        all -= bytes;
      }
      last[id] = place;
      sums.add(place, bytes);
      all += bytes;
    }
    if (!counts) continue;
    for (const TensorId id : ops[op]) {
      const auto [entry, fresh] = at.try_emplace(id, found.size());
      if (fresh) {
        found.push_back({});
        found.back().tensor = id;
        found.back().bytes = static_cast<double>(capture.tensors()[id].size_bytes);
      }
      ++found[entry->second].uses;
    }
    for (const auto& [id, since] : before) {
      if (since < ops.size() && !capture.tensors()[id].persistent) continue;  // made anew in this step
      found[at.at(id)].distances.push_back(all - sums.before(since));
    }
  }
  return found;
}

Table reuse_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const std::vector<const MemoryLevel*> caches = caches_of(capture);
  Table table;
  table.name = "reuse";
  table.columns = {{"tensor", "Tensor", Quantity::text, Origin::exact, "The buffer; its views count as it"},
                   {"role", "Role", Quantity::text, Origin::exact, "Whose bytes it holds"},
                   {"size_bytes", "Size", Quantity::bytes, Origin::exact, "Bytes it occupies"},
                   {"uses_count", "Uses", Quantity::count, Origin::exact, "Ops of a step that read or write it"},
                   {"reuses_count", "Reuses", Quantity::count, Origin::exact,
                    "Uses with an earlier use of the same content, in this step or the one before"},
                   {"shortest_bytes", "Shortest distance", Quantity::capacity_bytes, Origin::exact,
                    "Bytes of all buffers touched from one use to the next, both ops included"},
                   {"longest_bytes", "Longest distance", Quantity::capacity_bytes, Origin::exact,
                    "The same, of the farthest reuse"}};
  for (const MemoryLevel* cache : caches) {
    table.columns.push_back(
        {cache->name + "_count", cache->name, Quantity::count, Origin::exact,
         say("Reuses at a distance that ") + cache->name + say(" holds and no smaller cache does")});
  }
  table.columns.push_back({"beyond_count", "Beyond", Quantity::count, Origin::exact,
                           "Reuses at a distance beyond all caches; all reuses where no cache size is known"});
  for (const BufferReuse& b : buffer_reuse(capture)) {
    const TensorRecord& tensor = capture.tensors()[b.tensor];
    std::vector<Cell> row{std::string(capture.name(tensor.name)),
                          std::string(engine::name(tensor.role)),
                          b.bytes,
                          static_cast<double>(b.uses),
                          static_cast<double>(b.distances.size()),
                          b.distances.empty() ? Cell() : Cell(b.shortest()),
                          b.distances.empty() ? Cell() : Cell(b.longest())};
    const auto at_level = [&](const std::string& level) {
      return static_cast<double>(
          std::ranges::count_if(b.distances, [&](double d) { return level_for(caches, d) == level; }));
    };
    for (const MemoryLevel* cache : caches) row.emplace_back(at_level(cache->name));
    row.emplace_back(at_level("DRAM"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> reuse_sentences(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const std::vector<const MemoryLevel*> caches = caches_of(capture);
  const std::vector<BufferReuse> all = buffer_reuse(capture);
  if (all.empty()) return {};
  std::vector<std::string> sentences;
  const auto once = static_cast<size_t>(std::ranges::count_if(all, [](const auto& b) { return b.distances.empty(); }));
  if (once > 0)
    sentences.push_back(say("{} of {} {} used once and not again.", once, counted(all.size(), "buffer"),
                            once == 1 ? say("is") : say("are")));
  if (caches.empty()) {
    sentences.emplace_back(
        say("Cache sizes are unknown, so no reuse is put at a level; `tensortide probe` measures them."));
    return sentences;
  }
  const MemoryLevel& last = *caches.back();
  size_t streams = 0;
  double bytes = 0;
  for (const BufferReuse& b : all) {
    if (b.distances.empty() || b.shortest() <= static_cast<double>(last.effective_size_bytes)) continue;
    ++streams;
    bytes += b.bytes;
  }
  if (streams == 0) {
    sentences.push_back(say("No buffer that is used again streams: {} holds at least one reuse of each.", last.name));
  } else {
    sentences.push_back(say("{} ({}) {}: each reuse comes after more bytes than {} holds.", counted(streams, "buffer"),
                            format_quantity(bytes, Quantity::bytes), streams == 1 ? say("streams") : say("stream"),
                            last.name));
  }
  return sentences;
}

}  // namespace profiler
