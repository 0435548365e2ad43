// SPDX-License-Identifier: Apache-2.0
// PhaseScope: what appends a phase of a step works in it and leaves the builder as it was.
#pragma once

#include <string>

#include "engine/graph/builder.h"

namespace engine {

/// Puts the builder's phase and layer back when the walk ends.
class PhaseScope {
 public:
  PhaseScope(GraphBuilder& builder, Phase phase) : builder_(builder), phase_(builder.phase()), layer_(builder.layer()) {
    builder_.set_phase(phase);
  }
  ~PhaseScope() {
    builder_.set_phase(phase_);
    builder_.set_layer(layer_);
  }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  GraphBuilder& builder_;
  Phase phase_;
  std::string layer_;
};

}  // namespace engine
