// SPDX-License-Identifier: GPL-3.0-or-later
// Links between spans: an API call and what it launched, an op and the ops whose results it reads.
// No Qt.
#pragma once

#include <optional>
#include <vector>

#include "views/timeline/timeline_layout.h"

namespace views {

struct TimelineLink {
  enum class Kind : uint8_t { launch, data } kind = Kind::launch;
  TimelineHit from, to;  ///< cause and effect
  friend bool operator==(const TimelineLink&, const TimelineLink&) = default;
};

/// At most so many links of one span.
inline constexpr size_t kMostLinks = 64;

/// The span that an activity became; nothing when it is in no lane (steps).
std::optional<TimelineHit> span_of_row(const TimelineModel&, uint32_t row);

/// Links from and to one span: by correlation to the call that launched it or to what it launched; of an op also those
/// of its kernels; of an op, in the same step, from those that last wrote its inputs and to those that read its outputs
/// before they are overwritten.
std::vector<TimelineLink> links_of(const TimelineModel&, const TimelineHit&);

}  // namespace views
