// SPDX-License-Identifier: Apache-2.0
// Constants of elementwise functions: what references, the CPU's loops and the GPU's kernels compute with alike. C++17,
// for nvcc.
#pragma once

namespace engine {

inline constexpr double kInvSqrt2 = 0.70710678118654752440;       ///< 1 / sqrt(2)
inline constexpr double kInvSqrt2Pi = 0.39894228040143267794;     ///< 1 / sqrt(2 pi)
inline constexpr double kSqrt2OverPi = 0.79788456080286535588;    ///< sqrt(2 / pi)
inline constexpr double kTwoOverSqrtPi = 1.12837916709551257390;  ///< 2 / sqrt(pi)

/// gelu by tanh: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (D. Hendrycks, K. Gimpel, arXiv 1606.08415).
inline constexpr double kGeluCubic = 0.044715;
/// selu: gamma (x, or alpha (exp(x) - 1)) (G. Klambauer and others, arXiv 1706.02515).
inline constexpr double kSeluAlpha = 1.6732632423543772, kSeluGamma = 1.0507009873554805;

}  // namespace engine
