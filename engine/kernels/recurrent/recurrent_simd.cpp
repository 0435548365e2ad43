// SPDX-License-Identifier: Apache-2.0
// Loops of recurrent cells; this file is compiled once per vector unit.
#include "engine/kernels/recurrent/recurrent_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/recurrent/recurrent_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/kernels/recurrent/recurrent_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in other files: they must not be merged

LstmLoops loops_of_lstm() { return recurrent::lstm_over(); }
GruLoops loops_of_gru() { return recurrent::gru_over(); }
RnnLoops loops_of_rnn() { return recurrent::rnn_over(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops_of_lstm);
LstmLoops lstm_loops() { return HWY_DYNAMIC_DISPATCH(loops_of_lstm)(); }
HWY_EXPORT(loops_of_gru);
GruLoops gru_loops() { return HWY_DYNAMIC_DISPATCH(loops_of_gru)(); }
HWY_EXPORT(loops_of_rnn);
RnnLoops rnn_loops() { return HWY_DYNAMIC_DISPATCH(loops_of_rnn)(); }

}  // namespace engine::cpu
#endif
