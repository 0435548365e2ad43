// SPDX-License-Identifier: Apache-2.0
// PyTorch and TensorFlow name the host's wait for its loader.
#include "profiler/analysis/gpu/fetches.h"

namespace profiler {

std::vector<OpId> fetching_ops(const Capture& capture) {
  std::vector<OpId> ops;
  if (capture.run().source.empty()) return ops;
  for (const OpRecord& op : capture.ops()) {
    const std::string_view type = capture.name(op.type);
    if (type.find("DataLoader") != std::string_view::npos || type.find("IteratorGetNext") != std::string_view::npos)
      ops.push_back(op.id);
  }
  return ops;
}

}  // namespace profiler
