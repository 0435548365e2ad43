// SPDX-License-Identifier: Apache-2.0
// Inner loops of LSTM cells over the hidden units of one sample, chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// `gates` and `bias`: i f g o, `hidden` values each.
struct LstmLoops {
  /// gates: W x + R h on entry, the gates' values on return; c_before may be c.
  void (*forward)(int64_t hidden, float* gates, const float* bias, const float* c_before, float* c, float* h);
  /// dh: gradient of h, dc: of c, on return that of the cell before; dgates: gradients of W x + R h + bias.
  void (*backward)(int64_t hidden, const float* gates, const float* c, const float* c_before, const float* dh, float* dc, float* dgates);
};
LstmLoops lstm_loops();

}  // namespace engine::cpu
