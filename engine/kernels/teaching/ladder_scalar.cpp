// SPDX-License-Identifier: Apache-2.0
// The rungs without vector instructions. CMakeLists.txt has this file compiled with -fno-tree-vectorize and
// -fno-tree-slp-vectorize: else the compiler would climb for us. A test disassembles what came out.
#include "engine/kernels/teaching/ladder_scalar-inl.h"

namespace engine::cpu {

template <class T>
LadderLoop<T> scalar_ladder(std::string_view rung) {
  if (rung == "naive") return ladder_scalar_naive<T>;
  if (rung == "reordered") return ladder_scalar_reordered<T>;
  return rung == "tiled" ? ladder_scalar_tiled<T> : nullptr;
}

template void scalar_sigmoid<float>(float*, int64_t);
template void scalar_sigmoid<double>(double*, int64_t);
template LadderLoop<float> scalar_ladder<float>(std::string_view);
template LadderLoop<double> scalar_ladder<double>(std::string_view);

}  // namespace engine::cpu
