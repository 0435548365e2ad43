// SPDX-License-Identifier: Apache-2.0
// Which copies bring what is there already.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "profiler/capture/gpu_records.h"

namespace profiler {

/// To be asked of copies in their order.
class CopyContents {
 public:
  /// Whether the tensor is unchanged since its last copy to the same place. Nothing: it is the first copy, or the
  /// content is unknown.
  std::optional<bool> unchanged(const CopyRecord& c) {
    if (c.tensor == kNoTensor || c.content_version == 0) return std::nullopt;
    const auto [last, first] =
        versions_.try_emplace({c.tensor, c.kind, c.place.device, c.destination_device}, c.content_version);
    if (first) return std::nullopt;
    const bool same = last->second == c.content_version;
    last->second = c.content_version;
    return same;
  }

 private:
  std::map<std::tuple<TensorId, CopyKind, int32_t, int32_t>, uint64_t> versions_;
};

}  // namespace profiler
