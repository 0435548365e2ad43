// SPDX-License-Identifier: Apache-2.0
// The hand-made capture, analysed, for tests of views; and whether rectangles keep apart.
#pragma once

#include <QRectF>
#include <memory>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "tests/support/sample_capture.h"

namespace tests {

inline std::shared_ptr<const profiler::Analyzed> sample_analyzed() { return profiler::analyze(sample_capture()); }

/// The same run on a machine that was never probed.
inline std::shared_ptr<const profiler::Analyzed> unprobed_analyzed() {
  profiler::CaptureBuilder builder = sample_builder();
  builder.machine() = {};
  auto capture = builder.finish();
  CHECK(capture.ok());
  return profiler::analyze(*capture);
}

/// The first pair that overlaps by more than half a pixel, or {-1, -1}.
inline std::pair<int, int> first_overlap(const std::vector<QRectF>& rects) {
  for (size_t i = 0; i < rects.size(); ++i) {
    for (size_t j = i + 1; j < rects.size(); ++j) {
      const QRectF both = rects[i].intersected(rects[j]);
      if (both.width() > 0.5 && both.height() > 0.5) return {static_cast<int>(i), static_cast<int>(j)};
    }
  }
  return {-1, -1};
}

}  // namespace tests
