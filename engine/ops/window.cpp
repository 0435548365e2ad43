// SPDX-License-Identifier: Apache-2.0
// The arithmetic of sliding windows.
#include "engine/ops/window.h"

#include <algorithm>
#include <numeric>

namespace engine::ops {
namespace {

constexpr int64_t kLargestInput = int64_t{1} << 60;    // so that no sum below overflows
constexpr int64_t kLargestSetting = int64_t{1} << 31;  // strides, dilations, paddings
constexpr int64_t kLargestKernel = int64_t{1} << 20;   // costs are computed tap by tap

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

WindowAxis::Range WindowAxis::outputs_with(int64_t tap) const {
  const int64_t offset = tap * dilation - padding;
  const int64_t begin = offset >= 0 ? 0 : divide_up(-offset, stride);
  const int64_t end = input <= offset ? 0 : std::min(output, (input - 1 - offset) / stride + 1);
  return {begin, std::max(begin, end)};
}

WindowAxis::Range WindowAxis::taps_inside(int64_t out) const {
  const int64_t first = out * stride - padding;
  const int64_t begin = first >= 0 ? 0 : divide_up(-first, dilation);
  const int64_t end = input <= first ? 0 : std::min(kernel, (input - 1 - first) / dilation + 1);
  return {begin, std::max(begin, end)};
}

int64_t WindowAxis::inputs_read() const {
  // Taps whose offsets agree modulo the stride read runs of one residue class; the runs' ends grow with the tap, so the
  // union is what lies beyond the last end.
  const int64_t period = stride / std::gcd(stride, dilation);
  int64_t count = 0;
  for (int64_t residue = 0; residue < std::min(period, kernel); ++residue) {
    int64_t next = 0;  // first position of this class not yet counted
    for (int64_t tap = residue; tap < kernel; tap += period) {
      const Range range = outputs_with(tap);
      if (range.size() == 0) continue;
      const int64_t first = std::max(position(range.begin, tap), next), last = position(range.end - 1, tap);
      if (last < first) continue;
      count += (last - first) / stride + 1;
      next = last + stride;
    }
  }
  return count;
}

int64_t WindowAxis::taps_used() const {
  int64_t count = 0;
  for (int64_t tap = 0; tap < kernel; ++tap) count += outputs_with(tap).size() > 0 ? 1 : 0;
  return count;
}

bool make_window(OperandCheck& check, const WindowRequest& request, WindowAxis& result) {
  const auto& [axis, input, kernel, stride, dilation, before, after, ceil_mode] = request;
  if (!check.that(stride > 0, "{} stride is {}: must be at least 1", axis, stride) ||
      !check.that(dilation > 0, "{} dilation is {}: must be at least 1", axis, dilation) ||
      !check.that(kernel > 0, "kernel {} is {}: must be at least 1", axis, kernel) ||
      !check.that(before >= 0 && after >= 0, "{} padding is {} and {}: must not be negative", axis, before, after) ||
      !check.that(kernel <= kLargestKernel, "kernel {} is {}: at most {}", axis, kernel, kLargestKernel) ||
      !check.that(std::max({stride, dilation, before, after}) <= kLargestSetting,
                  "{} stride, dilation and padding are at most {}, got {}, {} and {} + {}", axis, kLargestSetting,
                  stride, dilation, before, after) ||
      !check.that(input <= kLargestInput, "input {} is {}: at most {}", axis, input, kLargestInput)) {
    return false;
  }
  const int64_t window = dilation * (kernel - 1) + 1, padded = input + before + after;
  if (!check.that(window <= padded,
                  "kernel {} {} (dilation {}: covers {}) is larger than the padded input: {} + {} + {} = {}", axis,
                  kernel, dilation, window, before, input, after, padded)) {
    return false;
  }
  result = {input, (padded - window) / stride + 1, kernel, stride, dilation, before};
  if (ceil_mode) {
    result.output = divide_up(padded - window, stride) + 1;
    if ((result.output - 1) * stride >= input + before) --result.output;
  }
  return true;
}

}  // namespace engine::ops
