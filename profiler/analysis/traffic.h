// SPDX-License-Identifier: Apache-2.0
// Bytes between the memory levels, by role and tensor.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/base/scope.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

/// Bytes across one link between neighbouring memory levels, per step. `outer` is the farther level ("DRAM"), `inner`
/// the nearer ("L3"). The innermost link joins "L1" and the registers ("core").
struct LinkTraffic {
  std::string outer, inner;
  RoleBytes compulsory_read{}, compulsory_written{};  ///< exact: every operand byte once per op
  RoleBytes modelled_read{},
      modelled_written{};      ///< modelled: LRU over tensors with effective sizes, write-allocate, I/O lower bound
  bool modelled_known = true;  ///< false: sizes unknown (no probe): show an en dash
  // measured: needs hardware counters; none on this build of collectors. measured_known = false -> show why.
  bool measured_known = false;
  RoleBytes measured_read{}, measured_written{};
  double modelled_total() const;
  double compulsory_total() const;
};

/// One tensor's part of a link, for "click a ribbon: the tensors in it, ranked".
struct TensorTraffic {
  TensorId tensor = kNoTensor;
  double modelled_read = 0, modelled_written = 0, compulsory_read = 0, compulsory_written = 0;
  int reads = 0, writes = 0;  ///< times per step
};

struct Traffic {
  std::vector<LinkTraffic> links;                   ///< nearest to DRAM first: DRAM->L3, L3->L2, L2->L1, L1->core
  std::vector<std::vector<TensorTraffic>> tensors;  ///< per link, largest first
  double working_set_bytes = 0;                     ///< distinct bytes touched by the scope
  std::string method;                               ///< one sentence on the model, with policy and error band
  std::string measured_reason;                      ///< why no bytes were measured, and what would help
};

Traffic traffic(const Capture&, const TrafficModel&, const Scope&);

}  // namespace profiler
