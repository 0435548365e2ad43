// SPDX-License-Identifier: Apache-2.0
// The kernels that a learner can write: what each computes, its sizes and tensors, and the op of ours that does the
// same.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/graph/builder.h"

namespace app {

/// By name: "m".
using KernelSizes = std::map<std::string, int64_t>;

struct KernelSize {
  const char* name;
  int64_t timed;      ///< where nothing else is asked for
  int64_t simulated;  ///< smaller: every access is simulated
};

struct KernelOperand {
  const char* name;
  bool given;   ///< holds numbers before the call
  bool result;  ///< is compared after it
  engine::Shape (*shape)(const KernelSizes&);
};

struct KernelKind {
  const char* name;       ///< "gemm"; its plain loops are NAME.cpp of kernels_folder()
  const char* computes;   ///< "c[m,n] = a[m,k] b[k,n]"
  const char* signature;  ///< of the learner's function
  const char* call;       ///< what the harness calls it with
  std::vector<KernelSize> sizes;
  std::vector<KernelOperand> operands;
  double (*flops)(const KernelSizes&);
  double (*accesses)(const KernelSizes&);  ///< of the plain loops
  /// Largest difference to ours that is right, relative to the largest magnitude of the result; 0: none.
  double tolerance;
  /// The same by an op of ours; operands that are given, in order; row-major.
  engine::ValueId (*build)(engine::GraphBuilder&, const std::vector<engine::ValueId>& given, const KernelSizes&);
  bool on_ladder = false;  ///< the rungs of the ladder compute it, too
};

/// What `a` of saxpy is.
inline constexpr float kKernelScalar = 1.5F;

std::span<const KernelKind> kernel_kinds();
/// Refused (usage) with the nearest name.
engine::Result<const KernelKind*> find_kernel_kind(const std::string& name);

/// Usual sizes with those of `given` in their place. Fails (usage) on unknown names, sizes out of range, and tensors of
/// more than 2^26 elements.
engine::Result<KernelSizes> kernel_sizes(const KernelKind&, const KernelSizes& given, bool simulated);
/// "m=256 n=256 k=256".
std::string sizes_text(const KernelKind&, const KernelSizes&);

/// The header that sources include, and plain loops of each kind: $TENSORTIDE_KERNELS, else share/tensortide/kernels
/// beside the folder of the program. Refused: it is not there.
engine::Result<std::filesystem::path> kernels_folder();

}  // namespace app
