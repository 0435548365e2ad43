// SPDX-License-Identifier: Apache-2.0
// The model as records, and the choice among sources.
#include "profiler/memory/traffic.h"

#include <algorithm>
#include <map>

#include "profiler/memory/gpu_sectors.h"

namespace profiler {

TrafficSource modelled_traffic(const Capture& capture, const TrafficModel& model) {
  TrafficSource source;
  source.origin = Origin::modelled;
  source.policy =
      model.known ? "fully associative LRU over byte ranges, effective sizes, write-allocate, write-back on eviction"
                  : "";
  source.method = model.method;
  for (size_t l = 0; l < model.links.size(); ++l)
    source.links.push_back({model.links[l], model.inner[l], model.known ? model.capacity_bytes[l] : kUnknownBytes});
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    for (uint32_t l = 0; l < model.links.size(); ++l) {
      const TrafficModel::OpLevel& sum = model.op_levels[op.id][l];
      TrafficRecord record{.op = op.id, .link = l};
      record.near_capacity = sum.near_capacity;
      if (model.known) {
        record.read_bytes = sum.read_total(), record.written_bytes = sum.written_total();
        record.write_allocate_bytes = sum.write_allocate;
        record.error_band = model.error_band[l] * (sum.near_capacity ? 2 : 1);
      }
      source.records.push_back(record);
      record.write_allocate_bytes = kUnknownBytes;  // the model knows it per op only
      std::map<TensorId, TrafficRecord> parts;
      for (uint32_t i = op.first_operand; i < op.first_operand + op.operand_count && model.known; ++i) {
        const TensorRecord& tensor = capture.tensors()[capture.operands()[i].tensor];
        const TensorId owner = tensor.alias_of == kNoTensor ? tensor.id : tensor.alias_of;
        const auto [part, fresh] = parts.try_emplace(owner, record);
        if (fresh) part->second.tensor = owner, part->second.read_bytes = 0, part->second.written_bytes = 0;
        part->second.read_bytes += model.operand_levels[i][l].read;
        part->second.written_bytes += model.operand_levels[i][l].written;
      }
      for (const auto& [tensor, part] : parts) source.records.push_back(part);
    }
  }
  return source;
}

TrafficSources::TrafficSources(std::shared_ptr<const Capture> capture, const TrafficModel& model)
    : capture_(std::move(capture)) {
  // A GPU's levels are not those of the processor beside it.
  std::optional<TrafficSource> sectors = gpu_sector_traffic(*capture_);
  modelled_ = sectors ? *std::move(sectors) : modelled_traffic(*capture_, model);
}

const TrafficSource* TrafficSources::of(Origin origin) const {
  if (origin == Origin::modelled) return &modelled_;
  return capture_ ? capture_->traffic_of(origin) : nullptr;
}

KnownTraffic TrafficSources::of(Origin origin, OpId op, std::string_view outer) const {
  const TrafficSource* source = of(origin);
  if (source == nullptr) return {};
  for (uint32_t l = 0; l < source->links.size(); ++l) {
    if (source->links[l].outer != outer) continue;
    const TrafficRecord* record = source->of(op, l);
    if (record != nullptr && record->known()) return {source, record};
  }
  return {};
}

KnownTraffic TrafficSources::best(OpId op, std::string_view outer) const {
  for (const Origin origin : {Origin::measured, Origin::simulated, Origin::modelled}) {
    if (const KnownTraffic found = of(origin, op, outer); found.known()) return found;
  }
  return {};
}

}  // namespace profiler
