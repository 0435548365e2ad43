// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: LSTM, GRU and the simple recurrent network, each as one op over a whole sequence and as its steps
// unrolled.
#pragma once

#include <span>
#include <string>

#include "engine/graph/builder.h"

// T steps, B samples, I inputs, H hidden units, D directions (1, or 2 for "bidirectional"); n gates per unit: 4, 3
// and 1. x [T, B, I], w [D, n H, I], r [D, n H, H], h0 and c0 [D, B, H]; y [T, B, D H] (direction by direction side by
// side), h and c [D, B, H] after the last step of each direction. "reverse" walks from the last step to the first.
//
// Gates lie one after the other in the rows of w, r and bias:
//   lstm  i f g o   i, f, o = sigmoid, g = tanh; c' = f c + i g; h' = o tanh(c')
//   gru   z r n     n = tanh(W_n x + b_n + r (R_n h + b_m)); h' = (1 - z) n + z h; bias rows z r n m: [D, 4 H].
//                   linear_before_reset = 0: n = tanh(W_n x + b_n + R_n (r h)); bias rows z r n: [D, 3 H]
//   rnn   one       h' = activation(W x + b + R h), "tanh" or "relu"
// PyTorch's LSTM has this order (its two biases added); its GRU has r z n. ONNX's LSTM has i o f c, its GRU this order.
//
// training = 1 puts the gates out ([D, T, B, bias rows], and for lstm the cells [D, T, B, H]): what the gradient reads.
// Without them the backward pass computes the forward pass again.
namespace engine::ops {

extern const Op kLstm;  ///< lstm(x, w, r, bias, h0, c0) -> y, h, c, [gates, cells] {direction, training}
extern const Op
    kLstmGrad;  ///< lstm_grad(dy, dh, dc, x, w, r, h0, c0, y, gates, cells) -> dx, dw, dr, dbias, dh0, dc0 {direction}
extern const Op kGru;  ///< gru(x, w, r, bias, h0) -> y, h, [gates] {direction, linear_before_reset, training}
extern const Op
    kGruGrad;  ///< gru_grad(dy, dh, x, w, r, h0, y, gates) -> dx, dw, dr, dbias, dh0 {direction, linear_before_reset}
extern const Op kRnn;      ///< rnn(x, w, r, bias, h0) -> y, h {direction, activation}
extern const Op kRnnGrad;  ///< rnn_grad(dy, dh, x, w, r, h0, y) -> dx, dw, dr, dbias, dh0 {direction, activation}

std::span<const Op* const> recurrent_ops();

struct RecurrentOptions {
  std::string direction = "forward";  ///< "forward", "reverse", "bidirectional"
  bool training = true;               ///< keep what the gradient reads
  bool linear_before_reset = true;    ///< gru
  std::string activation = "tanh";    ///< rnn
};
/// kNoValue after an error; c only for lstm.
struct RecurrentResult {
  ValueId y = kNoValue, h = kNoValue, c = kNoValue;
};
// bias, h0 and c0 may be kNoValue: zeros.
RecurrentResult lstm(GraphBuilder&, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0, ValueId c0,
                     const RecurrentOptions& = {});
RecurrentResult gru(GraphBuilder&, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                    const RecurrentOptions& = {});
RecurrentResult rnn(GraphBuilder&, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                    const RecurrentOptions& = {});

// One step with linear and elementwise ops: x [B, I], h and c [B, H], w [n H, I], r [n H, H], bias as above without D
// (or kNoValue).
struct LstmState {
  ValueId h = kNoValue, c = kNoValue;
};
LstmState lstm_cell(GraphBuilder&, ValueId x, LstmState state, ValueId w, ValueId r, ValueId bias);
ValueId gru_cell(GraphBuilder&, ValueId x, ValueId h, ValueId w, ValueId r, ValueId bias,
                 bool linear_before_reset = true);
ValueId rnn_cell(GraphBuilder&, ValueId x, ValueId h, ValueId w, ValueId r, ValueId bias,
                 const std::string& activation = "tanh");

// The same results as lstm, gru and rnn from one cell after the other: what one op instead of hundreds saves.
RecurrentResult lstm_unrolled(GraphBuilder&, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0, ValueId c0,
                              const RecurrentOptions& = {});
RecurrentResult gru_unrolled(GraphBuilder&, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                             const RecurrentOptions& = {});
RecurrentResult rnn_unrolled(GraphBuilder&, ValueId x, ValueId w, ValueId r, ValueId bias, ValueId h0,
                             const RecurrentOptions& = {});

}  // namespace engine::ops
