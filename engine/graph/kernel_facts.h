// SPDX-License-Identifier: Apache-2.0
// KernelFacts: what is known of the kernel that computes an op. Analyses decide by these; the name is for people alone.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/graph/code_kind.h"
#include "engine/tensor/operand_copies.h"
#include "engine/tensor/product_format.h"

namespace engine {

/// Whose code computes. Of a kernel of several parts the first part that is not ours. Unknown: imported, or nothing
/// ran.
enum class KernelLibrary : uint8_t { own, onednn, openblas, lapack, cublas, cudnn, unknown };
inline constexpr std::array<std::string_view, 7> kKernelLibraryNames{"own",    "onednn", "openblas", "lapack",
                                                                     "cublas", "cudnn",  "unknown"};
constexpr std::string_view name(KernelLibrary library) { return kKernelLibraryNames[static_cast<size_t>(library)]; }

/// Which weights of a recurrent layer are packed once for all steps.
enum class PackedWeights : uint8_t {
  none,
  inputs,  ///< those that x is multiplied by
  steps,   ///< those that the states are multiplied by; all inputs are multiplied at once, before the steps
  all,     ///< those of the states, and of x where these have products of their own in each step
};
inline constexpr std::array<std::string_view, 4> kPackedWeightsNames{"none", "inputs", "steps", "all"};
constexpr std::string_view name(PackedWeights packed) { return kPackedWeightsNames[static_cast<size_t>(packed)]; }

/// Work of a kernel whose lanes run in lockstep, in elements' worth: a lane under a mask works, too.
struct LaneWork {
  int lanes = 0;     ///< elements that take each step together; 1: each alone; 0: unknown
  int64_t done = 0;  ///< by all lanes, per step; 0: unknown, as where the paths are no constant
  int64_t kept = 0;  ///< of it, what is part of the result
  friend auto operator<=>(const LaneWork&, const LaneWork&) = default;
};

struct KernelFacts {
  std::string name = {};           ///< for people only: "oneDNN brgconv:avx512_core"
  CodeKind code = CodeKind::fast;  ///< unknown: nothing ran, as for views; then the library is, too
  KernelLibrary library = KernelLibrary::own;
  OperandCopies copies = {};  ///< of operands, for a kernel that takes them neither as they lie nor in their type
  int winograd_tile = 0;      ///< m of F(m x m, 3x3): 2 or 4; 0: it computes directly
  PackedWeights packed = PackedWeights::none;
  ProductFormat format = ProductFormat::as_it_is;
  std::string not_fp8 =
      {};  ///< why a product is not done in FP8 where that was asked for; empty: it is, or nobody asked
  int64_t tile_rows = 0, tile_columns = 0;  ///< elements of the result of a GEMM on a GPU, per block; 0: unknown
  bool own_gemm = false;         ///< our GEMM computes the multiplications, or those that no library computes
  bool own_convolution = false;  ///< a convolution by our own products or depthwise loops
  bool plain_weights =
      false;               ///< gradients of a 3x3 convolution as products over weights as they lie (convolution_rule)
  bool per_image = false;  ///< a convolution goes image by image
  bool single_thread = false;  ///< one thread does all, however many the run has
  bool unsplit = false;        ///< a product that more threads would share if it were larger; one thread does it
  bool indivisible = false;  ///< sharing it among more threads is no advice: each element waits for the one before, or
                             ///< a loader does it
  bool streaming_stores = false;  ///< stores go past the caches
  bool round_trip = false;  ///< all bytes go to host memory and from there to where they belong: each is moved twice
  LaneWork lane_work = {};  ///< of kernels with a branch per element
  friend auto operator<=>(const KernelFacts&, const KernelFacts&) = default;  ///< any order, for sets
  friend bool operator==(const KernelFacts&, const KernelFacts&) = default;
};

/// Of what runs nothing, or nothing that is known.
inline KernelFacts unknown_facts(std::string name = {}) {
  return {.name = std::move(name), .code = CodeKind::unknown, .library = KernelLibrary::unknown};
}
/// Of views, which run nothing: named "view".
inline KernelFacts view_facts() { return unknown_facts("view"); }

/// Facts of kernels that run one behind the other for one op. Names are joined by `between`. What is true of any is
/// true of all, but: operands are widened where the first part widens them, and several parts are never `unsplit`.
KernelFacts joined(std::span<const KernelFacts> parts, std::string_view between);

}  // namespace engine
