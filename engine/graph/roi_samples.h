// SPDX-License-Identifier: Apache-2.0
// Where region-of-interest pooling reads its samples: what its reference and its kernel must agree on, in one place
// below both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/graph/op.h"

namespace engine {

/// Settings of roi_align, of a feature map of rows x columns.
struct RoiGrid {
  int64_t height = 1, width = 1;  ///< bins
  int64_t samples = 0;            ///< per bin and axis; 0: as many as a bin has rows or columns, rounded up
  double scale = 1;               ///< of the regions' coordinates to those of the map
  bool half_pixel = true;         ///< element i is at i + 0.5
  int64_t rows = 1, columns = 1;

  RoiGrid(const Attributes& attributes, int64_t map_rows, int64_t map_columns)
      : samples(attributes.get_int("sampling_ratio", 0)),
        scale(attributes.get_double("spatial_scale", 1)),
        half_pixel(attributes.get_int("half_pixel", 1) != 0),
        rows(map_rows),
        columns(map_columns) {
    const std::vector<int64_t> sizes = attributes.get_ints("sizes", {1, 1});
    height = sizes[0];
    width = sizes[1];
  }
};

/// Two neighbouring elements of an axis and their parts of a sample; both parts 0: outside of the map.
template <class T>
struct RoiSample {
  int64_t low = 0, high = 0;
  T part_low = 0, part_high = 0;
};

/// The samples of one axis of a region, bin by bin.
template <class T>
struct RoiAxis {
  int64_t per_bin = 0;
  std::vector<RoiSample<T>> samples;

  /// A region from `begin` to `end`, in its own coordinates; bins of which no finite number of samples is known have
  /// none. At most 1024 samples per bin.
  RoiAxis(const RoiGrid& grid, T begin, T end, int64_t bins, int64_t extent) {
    constexpr int64_t kMostSamples = 1024;
    const T offset = grid.half_pixel ? T(0.5) : T(0), scale = static_cast<T>(grid.scale);
    const T start = begin * scale - offset;
    T length = end * scale - offset - start;
    if (!grid.half_pixel) length = std::max(length, T(1));
    const T bin = length / static_cast<T>(bins);
    const T wanted = grid.samples > 0 ? static_cast<T>(grid.samples) : std::ceil(bin);
    per_bin = wanted >= 1 ? static_cast<int64_t>(std::min(wanted, static_cast<T>(kMostSamples))) : 0;
    samples.resize(static_cast<size_t>(bins * per_bin));
    for (int64_t b = 0; b < bins; ++b) {
      for (int64_t i = 0; i < per_bin; ++i) {
        const T place = start + static_cast<T>(b) * bin + (static_cast<T>(i) + T(0.5)) * bin / static_cast<T>(per_bin);
        samples[static_cast<size_t>(b * per_bin + i)] = sample(place, extent);
      }
    }
  }

 private:
  static RoiSample<T> sample(T place, int64_t extent) {
    if (!(place >= T(-1) && place <= static_cast<T>(extent))) return {};
    place = std::max(place, T(0));
    const auto low = static_cast<int64_t>(place);
    if (low >= extent - 1) return {extent - 1, extent - 1, T(1), T(0)};
    const T high = place - static_cast<T>(low);
    return {low, low + 1, T(1) - high, high};
  }
};

}  // namespace engine
