// SPDX-License-Identifier: Apache-2.0
// erf and GELU on a vector: included by files that are compiled once per vector unit, after Highway's math.
#if defined(TENSORTIDE_GELU_SIMD_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORTIDE_GELU_SIMD_H
#undef TENSORTIDE_GELU_SIMD_H
#else
#define TENSORTIDE_GELU_SIMD_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "engine/kernels/core/exp_simd.h"
#include "engine/tensor/function_constants.h"

HWY_BEFORE_NAMESPACE();
namespace engine::cpu {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE auto constant_of(D d, double value) {
  return hwy::HWY_NAMESPACE::Set(d, static_cast<hwy::HWY_NAMESPACE::TFromD<D>>(value));
}
template <class D, class V, size_t n>
HWY_INLINE V polynomial(D d, V x, const double (&coefficients)[n]) {
  namespace hn = hwy::HWY_NAMESPACE;
  V y = constant_of(d, coefficients[n - 1]);
  for (size_t i = n - 1; i-- > 0;) y = hn::MulAdd(y, x, constant_of(d, coefficients[i]));
  return y;
}

// erf(x) / x - 1 by powers of x^2 on [0, 1], and exp(x^2) erfc(x) by powers of u in [-1, 1], which stands for x in [1,
// 4] (f32) and [1, 6] (f64): Chebyshev interpolation in 40 digits, within 1.3e-9 and 2.7e-7 (f32), 1.3e-19 and 8.8e-16
// (f64).
inline constexpr double kErfNearF32[] = {0.128379166,   -0.376126267,    0.112835947,  -0.026854212,
                                         0.00518908742, -0.000801686429, 7.87587506e-5};
inline constexpr double kErfNearF64[] = {0.128379167095512574,    -0.376126389031837481,     0.112837916709548787,
                                         -0.0268661706450767932,  0.00522397762481801447,    -0.000854832698083378991,
                                         0.000120553311116427109, -0.0000149255952668311816, 1.6461000484121368e-6,
                                         -1.6350312701054695e-7,  1.46597752740474358e-8,    -1.13728488567916737e-9,
                                         5.9571761477489114e-11};
inline constexpr double kErfFarF32[] = {0.210806539,    -0.111521085,   0.0561017559,  -0.0270020506,
                                        0.0125582827,   -0.00559632116, 0.00221672053, -0.000936257157,
                                        0.000608016267, -0.000236270407};
inline constexpr double kErfFarF64[] = {
    0.155293655608894816,     -0.103308944583131446,    0.0666320824530159306,    -0.0417667881193592085,
    0.0254955596534909761,    -0.015182511549676457,    0.00883342370213728752,   -0.00502806787995365376,
    0.00280332861777838462,   -0.00153251671608442753,  0.000822238888179790798,  -0.000433354956181531391,
    0.000224600388967015059,  -0.000114471422680758442, 0.0000572186177175163087, -0.0000282936920561321385,
    0.0000142149661418366578, -6.80176207673208183e-6,  2.62496187682433641e-6,   -1.25374327406265132e-6,
    1.1335757606031641e-6,    -4.99308140927490844e-7,  -1.07198655596292418e-7,  4.09896791774415144e-8,
    9.77428666697960621e-8,   -4.14346979065254658e-8};

#if HWY_TARGET <= HWY_AVX2  // AVX2 and AVX-512: one register, or two, hold sixteen numbers

/// erf(t) / t on 16 pieces of [0, 3.93], around k / 3.944, by powers of 3.944 t - k in [-1/2, 1/2]: Chebyshev
/// interpolation in 40 digits, within 3.1e-9. [power][piece]
HWY_ALIGN inline constexpr float kErfPieces[6][16] = {
    {1.12837911f, 1.10465825f, 1.03868496f, 0.943861783f, 0.836632371f, 0.731222212f, 0.636665821f, 0.556626499f,
     0.490967304f, 0.437674344f, 0.39426744f, 0.358516753f, 0.328661114f, 0.303383648f, 0.281714141f, 0.262933314f},
    {0.0f, -0.0465371534f, -0.083081536f, -0.103730276f, -0.108307108f, -0.101007529f, -0.087524578f, -0.0726110265f,
     -0.0590667948f, -0.0479438603f, -0.0392445698f, -0.0325495005f, -0.0273794569f, -0.0233355444f, -0.0201221667f,
     -0.0175288487f},
    {-0.0241799559f, -0.0214865804f, -0.014551443f, -0.00609618146f, 0.00114281185f, 0.00566058839f, 0.00741818873f,
     0.00726478174f, 0.00619837875f, 0.00492984895f, 0.00380735216f, 0.00292868796f, 0.00227469997f, 0.00179365335f,
     0.00143705204f, 0.00116855127f},
    {0.0f, 0.00172748265f, 0.00273502595f, 0.002742304f, 0.00199902803f, 0.0010144643f, 0.000208918922f,
     -0.000253328471f, -0.000417869596f, -0.000409237051f, -0.000334446086f, -0.000252852013f, -0.000186191552f,
     -0.000137236086f, -0.000102505706f, -7.78799003e-5f},
    {0.000463677716f, 0.000363520667f, 0.000126446801f, -0.000109531538f, -0.000236101769f, -0.000235345622f,
     -0.000159837451f, -7.40839969e-5f, -1.45639506e-5f, 1.36489307e-5f, 2.09634236e-5f, 1.88762715e-5f, 1.43731377e-5f,
     1.02922822e-5f, 7.27540328e-6f, 5.18964953e-6f},
    {0.0f, -3.78347977e-5f, -5.218761e-5f, -3.85268504e-5f, -1.16230385e-5f, 1.00205134e-5f, 1.79841772e-5f,
     1.51537906e-5f, 8.55672533e-6f, 3.11129747e-6f, 1.97725399e-7f, -8.13293752e-7f, -9.04820695e-7f, -7.11781411e-7f,
     -5.01120837e-7f, -3.42287677e-7f},
};

/// table[index modulo 16].
template <class D, class I>
HWY_INLINE auto piece_of(D d, const float* table, I index) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(d) == 16) return hn::Vec<D>{_mm512_permutexvar_ps(index.raw, hn::Load(d, table).raw)};
#endif
  if constexpr (hn::MaxLanes(d) == 8) {
    const __m256 low = _mm256_permutevar8x32_ps(hn::Load(d, table).raw, index.raw),
                 high = _mm256_permutevar8x32_ps(hn::Load(d, table + 8).raw, index.raw);
    return hn::Vec<D>{_mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(index.raw, 28)))};
  } else {  // what is left behind the last vector
    return hn::GatherIndex(d, table, hn::And(index, hn::Set(hn::RebindToSigned<D>(), 15)));
  }
}

/// Within 2.5 units in the last place; 1 from 3.93 on. Half the instructions of two branches.
template <class D, class V>
HWY_INLINE V erf_by_pieces(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = hn::Set(d, 1.0f), last = hn::Set(d, 3.93f);  // from where on f32 has nothing below 1
  const V a = hn::Abs(x), t = hn::Min(a, last), scale = hn::Set(d, 3.944f);
  const V shifter = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: a sum with it is rounded, in its lowest bits
  const V shifted = hn::MulAdd(t, scale, shifter);
  const auto index = hn::BitCast(hn::RebindToSigned<D>(), shifted);
  const V u = hn::MulSub(t, scale, hn::Sub(shifted, shifter));
  V y = piece_of(d, kErfPieces[5], index);
  for (int power = 4; power >= 0; --power) y = hn::MulAdd(y, u, piece_of(d, kErfPieces[power], index));
  y = hn::IfThenElse(hn::Lt(a, last), hn::Min(hn::Mul(y, t), one), one);
  return nan_or(x, hn::CopySign(y, x));
}

#endif

template <class D, class V>
HWY_INLINE V erf_of(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET <= HWY_AVX2
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) return erf_by_pieces(d, x);
#endif
  const V one = constant_of(d, 1), a = hn::Abs(x), x2 = hn::Mul(x, x);
  V near, far;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
    const V t = hn::Min(a, constant_of(d, 4));
    near = polynomial(d, x2, kErfNearF32);
    far = hn::Mul(hn::Exp(d, hn::Neg(hn::Mul(t, t))),
                  polynomial(d, hn::MulAdd(t, constant_of(d, 2.0 / 3), constant_of(d, -5.0 / 3)), kErfFarF32));
  } else {
    const V t = hn::Min(a, constant_of(d, 6));
    near = polynomial(d, x2, kErfNearF64);
    far = hn::Mul(hn::Exp(d, hn::Neg(hn::Mul(t, t))),
                  polynomial(d, hn::MulAdd(t, constant_of(d, 0.4), constant_of(d, -1.4)), kErfFarF64));
  }
  return nan_or(x, hn::IfThenElse(hn::Lt(a, one), hn::MulAdd(x, near, x), hn::CopySign(hn::Sub(one, far), x)));
}

/// sqrt(2 / pi) (x + 0.044715 x^3).
template <class D, class V>
HWY_INLINE V gelu_argument(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Mul(hn::Mul(constant_of(d, kSqrt2OverPi), x),
                 hn::MulAdd(hn::Mul(constant_of(d, kGeluCubic), x), x, constant_of(d, 1)));
}

/// x / 2 (1 + erf(x / sqrt(2))), or its approximation by tanh. f32: within 1.5e-7 of x, which for x < -4 is much of the
/// result.
template <class D, class V>
HWY_INLINE V gelu_of(D d, bool by_tanh, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V inner = by_tanh ? tanh_of(d, gelu_argument(d, x)) : erf_of(d, hn::Mul(x, constant_of(d, kInvSqrt2)));
  return hn::Mul(hn::Mul(x, constant_of(d, 0.5)), hn::Add(inner, constant_of(d, 1)));
}

}  // namespace HWY_NAMESPACE
}  // namespace engine::cpu
HWY_AFTER_NAMESPACE();

#endif
