// SPDX-License-Identifier: Apache-2.0
// Loops of recurrent cells; this file is compiled once per vector unit.
#include "engine/cpu/recurrent_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/recurrent_simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, as Highway demands.
#include <hwy/highway.h>

#include "engine/cpu/exp_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {  // the same names live in other files: they must not be merged

/// Calls f(tag, i) for whole vectors, then one by one for the rest.
template <class F>
HWY_INLINE void for_each(int64_t count, const F& f) {
  const hn::ScalableTag<float> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(wide, i);
  for (; i < count; ++i) f(hn::CappedTag<float, 1>(), i);
}

void forward(int64_t n, float* gates, const float* bias, const float* c_before, float* c, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto raw = [&](int64_t gate) HWY_ATTR { return hn::Add(hn::LoadU(d, gates + gate * n + j), hn::LoadU(d, bias + gate * n + j)); };
    const auto i = sigmoid_of(d, raw(0)), f = sigmoid_of(d, raw(1)), g = tanh_of(d, raw(2)), o = sigmoid_of(d, raw(3));
    const auto cell = hn::MulAdd(f, hn::LoadU(d, c_before + j), hn::Mul(i, g));
    hn::StoreU(i, d, gates + j);
    hn::StoreU(f, d, gates + n + j);
    hn::StoreU(g, d, gates + 2 * n + j);
    hn::StoreU(o, d, gates + 3 * n + j);
    hn::StoreU(cell, d, c + j);
    hn::StoreU(hn::Mul(o, tanh_of(d, cell)), d, h + j);
  });
}

void backward(int64_t n, const float* gates, const float* c, const float* c_before, const float* dh, float* dc, float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto i = hn::LoadU(d, gates + j), f = hn::LoadU(d, gates + n + j), g = hn::LoadU(d, gates + 2 * n + j),
               o = hn::LoadU(d, gates + 3 * n + j), own = hn::LoadU(d, dh + j), t = tanh_of(d, hn::LoadU(d, c + j));
    const auto cell = hn::MulAdd(hn::Mul(own, o), hn::NegMulAdd(t, t, one), hn::LoadU(d, dc + j));
    const auto slope = [&](auto s) HWY_ATTR { return hn::NegMulAdd(s, s, s); };  // s (1 - s)
    hn::StoreU(hn::Mul(hn::Mul(cell, g), slope(i)), d, dgates + j);
    hn::StoreU(hn::Mul(hn::Mul(cell, hn::LoadU(d, c_before + j)), slope(f)), d, dgates + n + j);
    hn::StoreU(hn::Mul(hn::Mul(cell, i), hn::NegMulAdd(g, g, one)), d, dgates + 2 * n + j);
    hn::StoreU(hn::Mul(hn::Mul(own, t), slope(o)), d, dgates + 3 * n + j);
    hn::StoreU(hn::Mul(cell, f), d, dc + j);
  });
}

LstmLoops loops() { return {forward, backward}; }

void gru_forward(int64_t n, float* gates, const float* bias, const float* h_before, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto raw = [&](int64_t gate) HWY_ATTR { return hn::Add(hn::LoadU(d, gates + gate * n + j), hn::LoadU(d, bias + gate * n + j)); };
    const auto z = sigmoid_of(d, raw(0)), r = sigmoid_of(d, raw(1)), m = raw(3), candidate = tanh_of(d, hn::MulAdd(r, m, raw(2)));
    hn::StoreU(z, d, gates + j);
    hn::StoreU(r, d, gates + n + j);
    hn::StoreU(candidate, d, gates + 2 * n + j);
    hn::StoreU(m, d, gates + 3 * n + j);
    hn::StoreU(hn::MulAdd(z, hn::Sub(hn::LoadU(d, h_before + j), candidate), candidate), d, h + j);
  });
}

void gru_backward(int64_t n, const float* gates, const float* h_before, const float* dh, float* dh_before, float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto z = hn::LoadU(d, gates + j), r = hn::LoadU(d, gates + n + j), candidate = hn::LoadU(d, gates + 2 * n + j),
               m = hn::LoadU(d, gates + 3 * n + j), own = hn::LoadU(d, dh + j);
    const auto slope = [&](auto s) HWY_ATTR { return hn::NegMulAdd(s, s, s); };  // s (1 - s)
    const auto dn = hn::Mul(hn::Mul(own, hn::Sub(one, z)), hn::NegMulAdd(candidate, candidate, one));
    hn::StoreU(hn::Mul(hn::Mul(own, hn::Sub(hn::LoadU(d, h_before + j), candidate)), slope(z)), d, dgates + j);
    hn::StoreU(hn::Mul(hn::Mul(dn, m), slope(r)), d, dgates + n + j);
    hn::StoreU(dn, d, dgates + 2 * n + j);
    hn::StoreU(hn::Mul(dn, r), d, dgates + 3 * n + j);
    hn::StoreU(hn::Mul(own, z), d, dh_before + j);
  });
}

void gru_reset(int64_t n, float* gates, const float* bias, const float* h_before, float* reset_h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto raw = [&](int64_t gate) HWY_ATTR { return hn::Add(hn::LoadU(d, gates + gate * n + j), hn::LoadU(d, bias + gate * n + j)); };
    const auto z = sigmoid_of(d, raw(0)), r = sigmoid_of(d, raw(1));
    hn::StoreU(z, d, gates + j);
    hn::StoreU(r, d, gates + n + j);
    hn::StoreU(hn::Mul(r, hn::LoadU(d, h_before + j)), d, reset_h + j);
  });
}

void gru_candidate(int64_t n, float* gates, const float* bias, const float* h_before, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto candidate = tanh_of(d, hn::Add(hn::LoadU(d, gates + 2 * n + j), hn::LoadU(d, bias + 2 * n + j)));
    hn::StoreU(candidate, d, gates + 2 * n + j);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, gates + j), hn::Sub(hn::LoadU(d, h_before + j), candidate), candidate), d, h + j);
  });
}

void gru_candidate_backward(int64_t n, const float* gates, const float* h_before, const float* dh, float* dh_before, float* dgates, float* reset_h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto z = hn::LoadU(d, gates + j), r = hn::LoadU(d, gates + n + j), candidate = hn::LoadU(d, gates + 2 * n + j), own = hn::LoadU(d, dh + j),
               before = hn::LoadU(d, h_before + j);
    hn::StoreU(hn::Mul(hn::Mul(own, hn::Sub(before, candidate)), hn::NegMulAdd(z, z, z)), d, dgates + j);
    hn::StoreU(hn::Mul(hn::Mul(own, hn::Sub(one, z)), hn::NegMulAdd(candidate, candidate, one)), d, dgates + 2 * n + j);
    hn::StoreU(hn::Mul(own, z), d, dh_before + j);
    hn::StoreU(hn::Mul(r, before), d, reset_h + j);
  });
}

void gru_reset_backward(int64_t n, const float* gates, const float* h_before, const float* through, float* dh_before, float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto r = hn::LoadU(d, gates + n + j), t = hn::LoadU(d, through + j);
    hn::StoreU(hn::Mul(hn::Mul(t, hn::LoadU(d, h_before + j)), hn::NegMulAdd(r, r, r)), d, dgates + n + j);
    hn::StoreU(hn::MulAdd(t, r, hn::LoadU(d, dh_before + j)), d, dh_before + j);
  });
}

GruLoops loops_of_gru() { return {gru_forward, gru_backward, gru_reset, gru_candidate, gru_candidate_backward, gru_reset_backward}; }

void rnn_forward(int64_t n, bool relu, const float* bias, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto a = hn::Add(hn::LoadU(d, h + j), hn::LoadU(d, bias + j));
    // Zero unless above: NaN stays NaN.
    hn::StoreU(relu ? hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Zero(d), a) : tanh_of(d, a), d, h + j);
  });
}

void rnn_backward(int64_t n, bool relu, const float* h, const float* dh, float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto y = hn::LoadU(d, h + j), own = hn::LoadU(d, dh + j);
    hn::StoreU(relu ? hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), own) : hn::Mul(own, hn::NegMulAdd(y, y, hn::Set(d, 1.0f))), d, dgates + j);
  });
}

RnnLoops loops_of_rnn() { return {rnn_forward, rnn_backward}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine::cpu {

HWY_EXPORT(loops);
LstmLoops lstm_loops() { return HWY_DYNAMIC_DISPATCH(loops)(); }
HWY_EXPORT(loops_of_gru);
GruLoops gru_loops() { return HWY_DYNAMIC_DISPATCH(loops_of_gru)(); }
HWY_EXPORT(loops_of_rnn);
RnnLoops rnn_loops() { return HWY_DYNAMIC_DISPATCH(loops_of_rnn)(); }

}  // namespace engine::cpu
#endif
