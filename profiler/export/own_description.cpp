// SPDX-License-Identifier: Apache-2.0
// Writes what a run was and what its ops read and write.
#include "profiler/export/own_description.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace profiler {
namespace {

using nlohmann::json;

/// The tensors that ops use, and those whose bytes these share, each once.
class Tensors {
 public:
  explicit Tensors(const Capture& capture) : c_(capture), place_(capture.tensors().size(), -1) {
    // where nobody knows it, all tensors stand at byte 0 of op 0
    placed_ = std::ranges::any_of(capture.tensors(),
                                  [](const TensorRecord& t) { return t.offset_bytes > 0 || t.last_op > 0; });
  }
  /// Its index in the list.
  int64_t place(TensorId id) {
    if (place_[id] >= 0) return place_[id];
    const TensorRecord& tensor = c_.tensors()[id];
    json entry = {{"name", c_.name(tensor.name)},
                  {"dtype", engine::name(tensor.dtype)},
                  {"shape", tensor.shape},
                  {"role", engine::name(tensor.role)},
                  {"size_bytes", tensor.size_bytes}};
    if (tensor.alias_of != kNoTensor) entry["alias_of"] = place(tensor.alias_of);
    if (tensor.persistent) entry["persistent"] = true;
    if (placed_) entry["offset_bytes"] = tensor.offset_bytes;
    place_[id] = static_cast<int64_t>(list_.size());
    list_.push_back(std::move(entry));
    return place_[id];
  }
  json take() { return std::move(list_); }

 private:
  const Capture& c_;
  std::vector<int64_t> place_;
  bool placed_ = false;
  json list_ = json::array();
};

}  // namespace

std::string own_description(const Capture& c) {
  json document = {{"title", c.run().title},           {"device", c.run().device},  {"threads", c.run().threads},
                   {"created_at", c.run().created_at}, {"source", c.run().source},  {"arguments", c.run().arguments},
                   {"tracks", json::array()},          {"counters", json::array()}, {"ops", json::array()}};
  for (const Track& track : c.tracks())
    document["tracks"].push_back(
        {{"kind", static_cast<int>(track.kind)}, {"name", track.name}, {"group", track.group}});
  for (const CounterSeries& s : c.counters())
    document["counters"].push_back({{"name", c.name(s.name)}, {"group", c.name(s.group)}, {"unit", c.name(s.unit)}});
  Tensors tensors(c);
  for (const OpRecord& op : c.ops()) {
    if (op.operand_count == 0 && !(op.flops > 0)) continue;
    json operands = json::array();
    for (const OperandRecord& o : c.operands(op)) {
      operands.push_back({{"tensor", tensors.place(o.tensor)},
                          {"role", engine::name(o.role)},
                          {"output", o.output},
                          {"read_bytes", o.read_bytes},
                          {"written_bytes", o.written_bytes}});
    }
    document["ops"].push_back({{"name", c.name(op.name)},
                               {"flops", std::isnan(op.flops) ? json() : json(op.flops)},
                               {"operands", std::move(operands)}});
  }
  document["tensors"] = tensors.take();
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace profiler
