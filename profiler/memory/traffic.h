// SPDX-License-Identifier: Apache-2.0
// All that is known of a capture's traffic, side by side: measured, simulated, modelled, and which of them counts.
#pragma once

#include <array>
#include <string_view>

#include "profiler/capture/capture.h"
#include "profiler/capture/traffic_record.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

/// The model's figures as records, the op's sum and its tensors' parts. Where the model knows nothing, all figures are
/// unknown and `method` says why.
TrafficSource modelled_traffic(const Capture&, const TrafficModel&);

/// What one op moves across one link, by the best way it is known.
struct KnownTraffic {
  const TrafficSource* source = nullptr;  ///< nullptr: nobody knows
  const TrafficRecord* record = nullptr;
  bool known() const { return record != nullptr; }
};

/// The sources of one capture. Order of preference: measured, simulated, modelled; never mixed in one figure.
class TrafficSources {
 public:
  TrafficSources() = default;
  TrafficSources(std::shared_ptr<const Capture>, const TrafficModel&);

  const TrafficSource& modelled() const { return modelled_; }
  /// nullptr: the capture holds none.
  const TrafficSource* simulated() const { return capture_ ? capture_->traffic_of(Origin::simulated) : nullptr; }
  const TrafficSource* measured() const { return capture_ ? capture_->traffic_of(Origin::measured) : nullptr; }
  const TrafficSource* of(Origin) const;

  /// The op's sum of one origin across the link whose outer level is so called ("DRAM"); nothing known: no record.
  KnownTraffic of(Origin, OpId, std::string_view outer) const;
  /// The first of measured, simulated, modelled that knows.
  KnownTraffic best(OpId, std::string_view outer) const;

 private:
  std::shared_ptr<const Capture> capture_;
  TrafficSource modelled_;
};

}  // namespace profiler
