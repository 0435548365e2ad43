// SPDX-License-Identifier: Apache-2.0
// Which boxes non-maximum suppression keeps: what its reference and its kernel must agree on, in one place below both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace engine {

/// Settings of one non-maximum suppression.
struct BoxLimits {
  int64_t most = 0;  ///< boxes of one class; 0 or less: none
  double iou = 0;    ///< a box that shares more than this with a better one goes
  double least_score = -std::numeric_limits<double>::infinity();  ///< boxes with no larger score go
  bool centred = false;  ///< boxes are {x centre, y centre, width, height} instead of two corners {y, x, y, x}
};

/// Boxes of one image. T is float or double: operations go in the order that onnxruntime has, so that the same boxes
/// stay.
template <class T>
class BoxSelection {
 public:
  /// `boxes`: 4 numbers each, corners in any order.
  BoxSelection(const T* boxes, int64_t count, bool centred) : boxes_(static_cast<size_t>(count)) {
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const T* const v = boxes + 4 * i;
      Box& box = boxes_[i];
      if (centred) {
        box = {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2, 0};
      } else {
        box = {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3]), 0};
      }
      box.area = (box.right - box.left) * (box.bottom - box.top);
    }
  }

  /// The numbers of the boxes that stay, best first; of equal scores the first. NaN is no score.
  std::vector<int64_t> choose(const T* scores, const BoxLimits& limits) const {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < static_cast<int64_t>(boxes_.size()); ++i) {
      const T score = scores[i];
      const bool too_low = static_cast<double>(score) <= limits.least_score && limits.least_score > kLowest;
      if (score == score && !too_low) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
    Kept kept;
    std::vector<int64_t> chosen;
    const auto iou = static_cast<T>(limits.iou);
    for (const int64_t candidate : order) {
      if (static_cast<int64_t>(chosen.size()) >= limits.most) break;
      const Box& box = boxes_[static_cast<size_t>(candidate)];
      if (kept.hides(box, iou)) continue;
      kept.add(box);
      chosen.push_back(candidate);
    }
    return chosen;
  }

 private:
  static constexpr double kLowest = -std::numeric_limits<double>::infinity();

  struct Box {
    T top, left, bottom, right, area;
  };
  /// Better boxes, one list for each number: a loop over them takes whole vectors.
  struct Kept {
    static constexpr size_t kBlock = 16;
    std::vector<T> top, left, bottom, right, area;

    void add(const Box& box) {
      top.push_back(box.top);
      left.push_back(box.left);
      bottom.push_back(box.bottom);
      right.push_back(box.right);
      area.push_back(box.area);
    }
    bool hides(const Box& box, T iou) const {
      for (size_t begin = 0; begin < top.size(); begin += kBlock) {
        const size_t end = std::min(begin + kBlock, top.size());
        int hidden = 0;
        for (size_t k = begin; k < end; ++k) {
          const T width = std::min(right[k], box.right) - std::max(left[k], box.left);
          const T height = std::min(bottom[k], box.bottom) - std::max(top[k], box.top);
          const T shared = width * height, all = area[k] + box.area - shared;
          const bool meet = width > 0 && height > 0 && shared > 0 && area[k] > 0 && box.area > 0 && all > 0;
          hidden |= static_cast<int>(meet && shared / all > iou);
        }
        if (hidden != 0) return true;
      }
      return false;
    }
  };
  std::vector<Box> boxes_;
};

}  // namespace engine
