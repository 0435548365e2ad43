// SPDX-License-Identifier: Apache-2.0
// LayerRanges: nested layer activities around the ops of a step, derived from the layer paths of the ops.
#pragma once

#include <span>
#include <vector>

#include "profiler/capture/capture_builder.h"

namespace profiler {

/// Neighbouring ops of one phase that share a layer path share a range; "layer1.0.conv2" nests as layer1 > layer1.0 >
/// layer1.0.conv2.
class LayerRanges {
 public:
  /// Interns the paths of all ops the builder knows by now.
  explicit LayerRanges(CaptureBuilder& builder);
  /// Appends `ops` (the op activities of one step, ascending in time) to `out` with their layers, parents before
  /// children.
  void append(std::span<const Activity> ops, std::vector<Activity>& out) const;

 private:
  struct OpLayers {
    std::vector<NameId> path;  ///< outermost first
    Phase phase;
  };
  std::vector<OpLayers> layers_;  ///< indexed by OpId
};

}  // namespace profiler
