// SPDX-License-Identifier: Apache-2.0
// Loops of recurrent cells. Included once per vector unit (recurrent_simd.cpp), and by a test that notes each access:
// it has an include guard per unit, as Highway's own inner headers do.
#if defined(ENGINE_CPU_RECURRENT_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_CPU_RECURRENT_SIMD_INL_H
#undef ENGINE_CPU_RECURRENT_SIMD_INL_H
#else
#define ENGINE_CPU_RECURRENT_SIMD_INL_H
#endif

#include <hwy/highway.h>

#include "engine/kernels/core/exp_simd.h"
#include "engine/kernels/core/memory-inl.h"
#include "engine/kernels/recurrent/recurrent_simd.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {
namespace {  // the same names live in every file that includes this: they must not be merged
namespace recurrent {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls f(tag, i) for whole vectors, then one by one for the rest.
template <class F>
HWY_INLINE void for_each(int64_t count, const F& f) {
  const hn::ScalableTag<float> wide;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(wide, i);
  for (; i < count; ++i) f(hn::CappedTag<float, 1>(), i);
}

/// x + bias.
template <class M, class D>
HWY_INLINE hn::Vec<D> biased(D d, const float* x, const float* bias) {
  const auto before = M::load(d, x);
  return hn::Add(before, M::load(d, bias));
}

template <class M>
void forward(int64_t n, float* gates, const float* bias, const float* c_before, float* c, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto raw = [&](int64_t gate) HWY_ATTR { return biased<M>(d, gates + gate * n + j, bias + gate * n + j); };
    const auto i = sigmoid_of(d, raw(0)), f = sigmoid_of(d, raw(1)), g = tanh_of(d, raw(2)), o = sigmoid_of(d, raw(3));
    const auto cell = hn::MulAdd(f, M::load(d, c_before + j), hn::Mul(i, g));
    M::store(i, d, gates + j);
    M::store(f, d, gates + n + j);
    M::store(g, d, gates + 2 * n + j);
    M::store(o, d, gates + 3 * n + j);
    M::store(cell, d, c + j);
    M::store(hn::Mul(o, tanh_of(d, cell)), d, h + j);
  });
}

template <class M>
void backward(int64_t n, const float* gates, const float* c, const float* c_before, const float* dh, float* dc,
              float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto i = M::load(d, gates + j), f = M::load(d, gates + n + j), g = M::load(d, gates + 2 * n + j),
               o = M::load(d, gates + 3 * n + j), own = M::load(d, dh + j), t = tanh_of(d, M::load(d, c + j));
    const auto cell = hn::MulAdd(hn::Mul(own, o), hn::NegMulAdd(t, t, one), M::load(d, dc + j));
    const auto slope = [&](auto s) HWY_ATTR { return hn::NegMulAdd(s, s, s); };  // s (1 - s)
    M::store(hn::Mul(hn::Mul(cell, g), slope(i)), d, dgates + j);
    M::store(hn::Mul(hn::Mul(cell, M::load(d, c_before + j)), slope(f)), d, dgates + n + j);
    M::store(hn::Mul(hn::Mul(cell, i), hn::NegMulAdd(g, g, one)), d, dgates + 2 * n + j);
    M::store(hn::Mul(hn::Mul(own, t), slope(o)), d, dgates + 3 * n + j);
    M::store(hn::Mul(cell, f), d, dc + j);
  });
}

template <class M = Memory>
LstmLoops lstm_over() {
  return {forward<M>, backward<M>};
}

template <class M>
void gru_forward(int64_t n, float* gates, const float* bias, const float* h_before, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto raw = [&](int64_t gate) HWY_ATTR { return biased<M>(d, gates + gate * n + j, bias + gate * n + j); };
    const auto z = sigmoid_of(d, raw(0)), r = sigmoid_of(d, raw(1)), m = raw(3),
               candidate = tanh_of(d, hn::MulAdd(r, m, raw(2)));
    M::store(z, d, gates + j);
    M::store(r, d, gates + n + j);
    M::store(candidate, d, gates + 2 * n + j);
    M::store(m, d, gates + 3 * n + j);
    M::store(hn::MulAdd(z, hn::Sub(M::load(d, h_before + j), candidate), candidate), d, h + j);
  });
}

template <class M>
void gru_backward(int64_t n, const float* gates, const float* h_before, const float* dh, float* dh_before,
                  float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto z = M::load(d, gates + j), r = M::load(d, gates + n + j), candidate = M::load(d, gates + 2 * n + j),
               m = M::load(d, gates + 3 * n + j), own = M::load(d, dh + j);
    const auto slope = [&](auto s) HWY_ATTR { return hn::NegMulAdd(s, s, s); };  // s (1 - s)
    const auto dn = hn::Mul(hn::Mul(own, hn::Sub(one, z)), hn::NegMulAdd(candidate, candidate, one));
    M::store(hn::Mul(hn::Mul(own, hn::Sub(M::load(d, h_before + j), candidate)), slope(z)), d, dgates + j);
    M::store(hn::Mul(hn::Mul(dn, m), slope(r)), d, dgates + n + j);
    M::store(dn, d, dgates + 2 * n + j);
    M::store(hn::Mul(dn, r), d, dgates + 3 * n + j);
    M::store(hn::Mul(own, z), d, dh_before + j);
  });
}

template <class M>
void gru_reset(int64_t n, float* gates, const float* bias, const float* h_before, float* reset_h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto raw = [&](int64_t gate) HWY_ATTR { return biased<M>(d, gates + gate * n + j, bias + gate * n + j); };
    const auto z = sigmoid_of(d, raw(0)), r = sigmoid_of(d, raw(1));
    M::store(z, d, gates + j);
    M::store(r, d, gates + n + j);
    M::store(hn::Mul(r, M::load(d, h_before + j)), d, reset_h + j);
  });
}

template <class M>
void gru_candidate(int64_t n, float* gates, const float* bias, const float* h_before, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto candidate = tanh_of(d, biased<M>(d, gates + 2 * n + j, bias + 2 * n + j));
    M::store(candidate, d, gates + 2 * n + j);
    const auto z = M::load(d, gates + j);
    M::store(hn::MulAdd(z, hn::Sub(M::load(d, h_before + j), candidate), candidate), d, h + j);
  });
}

template <class M>
void gru_candidate_backward(int64_t n, const float* gates, const float* h_before, const float* dh, float* dh_before,
                            float* dgates, float* reset_h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto z = M::load(d, gates + j), r = M::load(d, gates + n + j), candidate = M::load(d, gates + 2 * n + j),
               own = M::load(d, dh + j), before = M::load(d, h_before + j);
    M::store(hn::Mul(hn::Mul(own, hn::Sub(before, candidate)), hn::NegMulAdd(z, z, z)), d, dgates + j);
    M::store(hn::Mul(hn::Mul(own, hn::Sub(one, z)), hn::NegMulAdd(candidate, candidate, one)), d, dgates + 2 * n + j);
    M::store(hn::Mul(own, z), d, dh_before + j);
    M::store(hn::Mul(r, before), d, reset_h + j);
  });
}

template <class M>
void gru_reset_backward(int64_t n, const float* gates, const float* h_before, const float* through, float* dh_before,
                        float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto r = M::load(d, gates + n + j), t = M::load(d, through + j);
    M::store(hn::Mul(hn::Mul(t, M::load(d, h_before + j)), hn::NegMulAdd(r, r, r)), d, dgates + n + j);
    M::store(hn::MulAdd(t, r, M::load(d, dh_before + j)), d, dh_before + j);
  });
}

template <class M = Memory>
GruLoops gru_over() {
  return {gru_forward<M>,   gru_backward<M>,           gru_reset<M>,
          gru_candidate<M>, gru_candidate_backward<M>, gru_reset_backward<M>};
}

template <class M>
void rnn_forward(int64_t n, bool relu, const float* bias, float* h) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto a = biased<M>(d, h + j, bias + j);
    // Zero unless above: NaN stays NaN.
    M::store(relu ? hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Zero(d), a) : tanh_of(d, a), d, h + j);
  });
}

template <class M>
void rnn_backward(int64_t n, bool relu, const float* h, const float* dh, float* dgates) {
  for_each(n, [=](auto d, int64_t j) HWY_ATTR {
    const auto y = M::load(d, h + j), own = M::load(d, dh + j);
    M::store(
        relu ? hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), own) : hn::Mul(own, hn::NegMulAdd(y, y, hn::Set(d, 1.0f))), d,
        dgates + j);
  });
}

template <class M = Memory>
RnnLoops rnn_over() {
  return {rnn_forward<M>, rnn_backward<M>};
}

}  // namespace recurrent
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
