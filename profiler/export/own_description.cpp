// SPDX-License-Identifier: Apache-2.0
// Writes what a run was and what its ops read and write.
#include "profiler/export/own_description.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace profiler {
namespace {

using nlohmann::json;

json tensor_json(const Capture& c, const TensorRecord& tensor) {
  return {{"name", c.name(tensor.name)}, {"dtype", engine::name(tensor.dtype)}, {"shape", tensor.shape}, {"role", engine::name(tensor.role)}, {"size_bytes", tensor.size_bytes}};
}

}  // namespace

std::string own_description(const Capture& c) {
  json document = {{"title", c.run().title},           {"device", c.run().device},       {"threads", c.run().threads},
                   {"created_at", c.run().created_at}, {"arguments", c.run().arguments}, {"tensors", json::array()}, {"tracks", json::array()}, {"counters", json::array()},
                   {"ops", json::array()}};
  std::vector<int64_t> place(c.tensors().size(), -1);  // in the list of those that ops use
  for (const Track& track : c.tracks()) document["tracks"].push_back({{"kind", static_cast<int>(track.kind)}, {"name", track.name}, {"group", track.group}});
  for (const CounterSeries& s : c.counters()) document["counters"].push_back({{"name", c.name(s.name)}, {"group", c.name(s.group)}, {"unit", c.name(s.unit)}});
  json& tensors = document["tensors"];
  for (const OpRecord& op : c.ops()) {
    if (op.operand_count == 0 && !(op.flops > 0)) continue;
    json operands = json::array();
    for (const OperandRecord& o : c.operands(op)) {
      if (place[o.tensor] < 0) {
        place[o.tensor] = static_cast<int64_t>(tensors.size());
        tensors.push_back(tensor_json(c, c.tensors()[o.tensor]));
      }
      operands.push_back({{"tensor", place[o.tensor]}, {"role", engine::name(o.role)}, {"output", o.output}, {"read_bytes", o.read_bytes}, {"written_bytes", o.written_bytes}});
    }
    document["ops"].push_back({{"name", c.name(op.name)}, {"flops", std::isnan(op.flops) ? json() : json(op.flops)}, {"operands", std::move(operands)}});
  }
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace profiler
