// SPDX-License-Identifier: Apache-2.0
// LayerRanges: opens and closes layer ranges along the ops of a step.
#include "profiler/capture/layer_ranges.h"

#include <algorithm>

#include "engine/base/check.h"

namespace profiler {

LayerRanges::LayerRanges(CaptureBuilder& builder) {
  for (const OpRecord& op : builder.so_far().ops()) {
    OpLayers layers{.path = {}, .phase = op.phase};
    const std::string whole(builder.so_far().name(op.layer));  // a copy: interning moves the names
    for (size_t end = whole.find('.'); !whole.empty(); end = whole.find('.', end + 1)) {
      layers.path.push_back(builder.intern(std::string_view(whole).substr(0, end)));
      if (end == std::string::npos) break;
    }
    layers_.push_back(std::move(layers));
  }
}

void LayerRanges::append(std::span<const Activity> ops, std::vector<Activity>& out) const {
  std::vector<size_t> open;  // indices into `out` of the ranges around the current op
  Phase phase = Phase::forward;
  for (const Activity& op : ops) {
    CHECK(op.op < layers_.size());
    const OpLayers& layers = layers_[op.op];
    size_t shared = 0;
    if (layers.phase == phase) {
      while (shared < std::min(open.size(), layers.path.size()) && out[open[shared]].name == layers.path[shared]) {
        ++shared;
      }
    }
    phase = layers.phase;
    open.resize(shared);
    for (size_t i = shared; i < layers.path.size(); ++i) {
      Activity layer = op;
      layer.kind = ActivityKind::layer;
      layer.name = layers.path[i];
      layer.op = kNoOp;
      layer.correlation = 0;
      open.push_back(out.size());
      out.push_back(layer);
    }
    out.push_back(op);
    for (const size_t i : open) {
      out[i].duration_ns = op.start_ns + op.duration_ns - out[i].start_ns;
    }
  }
}

}  // namespace profiler
