// SPDX-License-Identifier: Apache-2.0
// WindowAxis: one spatial axis of a convolution or pooling: which outputs meet which inputs under which tap of the
// window.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/ops/check.h"

namespace engine::ops {

/// Output i, tap u of the window reads input i * stride + u * dilation - padding.
struct WindowAxis {
  int64_t input = 0, output = 0;
  int64_t kernel = 1, stride = 1, dilation = 1, padding = 0;  ///< padding before the first input

  /// Half open.
  struct Range {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
  };
  int64_t position(int64_t out, int64_t tap) const { return out * stride + tap * dilation - padding; }
  /// The outputs for which `tap` lies inside the input; begin == end when there are none.
  Range outputs_with(int64_t tap) const;
  /// The taps that lie inside the input for output `out` (dilation 1: contiguous; with dilation: all between are inside
  /// too).
  Range taps_inside(int64_t out) const;
  /// Inputs that some output reads (stride 2 with a 1-tap window: every other one). Exact.
  int64_t inputs_read() const;
  /// Taps that lie inside the input for some output (the others only ever meet padding). Exact.
  int64_t taps_used() const;
};

/// How a window's settings are called in messages: "height" and the values of this axis.
struct WindowRequest {
  std::string_view axis;
  int64_t input, kernel, stride, dilation, padding_before, padding_after;
  bool ceil_mode = false;
};
/// Checks the settings and computes the output extent: floor((input + paddings - dilation * (kernel - 1) - 1) / stride)
/// + 1; `ceil_mode` rounds up, but no window starts beyond the input and the padding before it.
bool make_window(OperandCheck&, const WindowRequest&, WindowAxis& result);

}  // namespace engine::ops
