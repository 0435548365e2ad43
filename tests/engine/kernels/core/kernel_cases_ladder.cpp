// SPDX-License-Identifier: Apache-2.0
// Shapes the rungs of the ladder are held against their reference on: tiles and vectors that fit, and that do not.
#include "engine/base/vector_bits.h"
#include "engine/ops/ladder.h"
#include "tests/engine/kernels/core/kernel_case.h"

namespace engine {

void add_ladder_cases(std::vector<KernelCase>& cases) {
  struct Shapes {
    const char* name;
    int64_t m, k, n, tile, sigmoid, padding = 0;
  };
  for (const ops::LadderRung& rung : ops::ladder_rungs()) {
    if (rung.vector_bits > vector_bits()) continue;
    for (const Shapes& s : {Shapes{"product", 37, 45, 101, 16, 0}, Shapes{"layer", 1, 300, 133, 64, 1},
                            Shapes{"rows_fit", 64, 64, 64, 32, 1}, Shapes{"thin", 5, 3, 2, 1, 0},
                            Shapes{"padded", 19, 32, 64, 16, 1, 16}}) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        const std::string label = std::string(rung.name) + "_" + s.name + (dtype == DType::float32 ? "" : "_f64");
        const Attributes attributes{{"rung", std::string(rung.name)}, {"tile", s.tile}, {"sigmoid", s.sigmoid}};
        cases.push_back(
            {"ladder_" + label,
             "ladder_product",
             attributes,
             {{TensorType::contiguous(dtype, {s.m, s.k})}, {TensorType{dtype, {s.k, s.n}, {s.n + s.padding, 1}}}},
             "own"});
      }
    }
  }
  const TensorType transposed{DType::float32, {5, 4}, {1, 5}};
  cases.push_back({"ladder_transposed",
                   "ladder_product",
                   {{"rung", std::string("naive")}},
                   {{TensorType::contiguous(DType::float32, {3, 5})}, {transposed}},
                   "reference"});
}

}  // namespace engine
