// SPDX-License-Identifier: Apache-2.0
// Inner loops of recurrent cells over the hidden units of one sample, chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// `gates` and `bias`: i f g o, `hidden` values each.
struct LstmLoops {
  /// gates: W x + R h on entry, the gates' values on return; c_before may be c.
  void (*forward)(int64_t hidden, float* gates, const float* bias, const float* c_before, float* c, float* h);
  /// dh: gradient of h, dc: of c, on return that of the cell before; dgates: gradients of W x + R h + bias.
  void (*backward)(int64_t hidden, const float* gates, const float* c, const float* c_before, const float* dh,
                   float* dc, float* dgates);
};
LstmLoops lstm_loops();

/// `gates`: z r n m, `hidden` values each, m being what the reset gate multiplies. The state before may not be the one
/// after.
struct GruLoops {
  /// gates: W x (+ R h for z and r), and R_n h in m, on entry; the gates' values, bias and all, on return.
  void (*forward)(int64_t hidden, float* gates, const float* bias, const float* h_before, float* h);
  /// dh: gradient of h; dh_before: what of it goes past the gates to the state before; dgates: of W x + R h + bias, row
  /// by row.
  void (*backward)(int64_t hidden, const float* gates, const float* h_before, const float* dh, float* dh_before,
                   float* dgates);

  // With the reset gate in front of the product (linear_before_reset 0), gates are z r n, and each pass is cut in two
  // by a product.
  /// gates: z and r as above on entry, their values on return; reset_h = r h_before, which goes through R_n.
  void (*reset)(int64_t hidden, float* gates, const float* bias, const float* h_before, float* reset_h);
  /// gates: n is W x + R_n reset_h on entry, its value on return.
  void (*candidate)(int64_t hidden, float* gates, const float* bias, const float* h_before, float* h);
  /// dgates of z and n; dh_before as above, reset_h anew.
  void (*candidate_backward)(int64_t hidden, const float* gates, const float* h_before, const float* dh,
                             float* dh_before, float* dgates, float* reset_h);
  /// through: gradient of reset_h, R_n^T dn. dgates of r; adds to dh_before.
  void (*reset_backward)(int64_t hidden, const float* gates, const float* h_before, const float* through,
                         float* dh_before, float* dgates);
};
GruLoops gru_loops();

/// The simple recurrent cell, h = activation(W x + R h + bias) with relu or tanh.
struct RnnLoops {
  void (*forward)(int64_t hidden, bool relu, const float* bias, float* h);  ///< h: W x + R h on entry
  void (*backward)(int64_t hidden, bool relu, const float* h, const float* dh, float* dgates);
};
RnnLoops rnn_loops();

}  // namespace engine::cpu
