// SPDX-License-Identifier: Apache-2.0
// ladder: one fully connected layer, or one matrix product, by ever better loops, one op each, and by a vendor's
// library at the end.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "engine/base/vector_bits.h"
#include "engine/ops/ladder.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

constexpr const char* kLibrary = "library";

std::vector<std::string> rung_choices() {
  std::vector<std::string> choices{"all"};
  for (const ops::LadderRung& rung : ops::ladder_rungs()) choices.emplace_back(rung.name);
  choices.emplace_back(kLibrary);
  return choices;
}

void build_ladder(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t size = integer_argument(arguments, "size"), tile = integer_argument(arguments, "tile"),
                padding = integer_argument(arguments, "padding");
  const DType dtype = dtype_argument(arguments);
  const bool layer = text_argument(arguments, "product") == "layer";
  const std::string& wanted = text_argument(arguments, "rung");
  // Sums of `size` random products stay near 1: a sigmoid of large numbers would be 0 or 1 whatever the loops do.
  const double reach = 1 / std::sqrt(static_cast<double>(size));
  const ValueId x = builder.input(layer ? "x" : "a", TensorType::contiguous(dtype, {layer ? 1 : size, size}),
                                  Fill{Fill::Kind::uniform, -1, 1});
  const char* const name = layer ? "weight" : "b";
  const ValueId stored = builder.parameter(name, TensorType::contiguous(dtype, {size, size + padding}),
                                           Fill{Fill::Kind::uniform, -reach, reach});
  const ValueId weight = padding == 0 ? stored : ops::slice(builder, stored, 1, 0, size);
  for (const ops::LadderRung& rung : ops::ladder_rungs()) {
    if (wanted != "all" && wanted != rung.name) continue;
    if (rung.vector_bits > vector_bits()) {
      if (wanted == "all") continue;
      builder.fail(usage_error(fmt::format(
          "rung {} needs vectors of {} bits; this machine's have {}: choose another rung, or all for those it has",
          rung.name, rung.vector_bits, vector_bits())));
      return;
    }
    const LayerScope scope(builder, rung.name);
    builder.mark_output(ops::ladder_product(builder, x, weight, rung.name, tile, layer));
  }
  if (wanted != "all" && wanted != kLibrary) return;
  const LayerScope scope(builder, kLibrary);
  const ValueId product = ops::library_matmul(builder, x, weight);
  builder.mark_output(layer ? ops::sigmoid(builder, product) : product);
}

}  // namespace

Workload ladder_workload() {
  Workload workload;
  workload.name = "ladder";
  workload.title = "Ladder: one layer, ever better loops";
  workload.description =
      "The fully connected layer z = sigmoid(x W), or a GEMM, by ever better loop nests. They are "
      "naive, reordered, "
      "tiled, in vectors of 128, 256 and 512 bits, in registers, packed and on all threads. The "
      "last rung is a "
      "vendor's library, the faster of oneDNN and OpenBLAS. The numbers are the same, time and "
      "bytes per cache level "
      "are not. The first three rungs are slow on purpose.";
  workload.parameters = {
      choice_parameter("product", "Product",
                       "layer: one sample through a fully connected layer, every weight used "
                       "once; matmul: a square GEMM, every element used `size` times.",
                       {"layer", "matmul"}),
      integer_parameter("size", "Size",
                        "Inputs and outputs of the layer; side of the matrices. Powers of two cause "
                        "conflict misses: try 500 and 512.",
                        512, "elements"),
      choice_parameter("rung", "Rung",
                       "Which loops; all: each once per step, those this machine has vectors for; "
                       "library: a vendor's, the layer's sigmoid apart.",
                       rung_choices()),
      integer_parameter("tile", "Tile", "Side of the tiles of the rungs that tile.", 64, "elements", 1, 65536),
      integer_parameter("padding", "Padding",
                        "Elements left unused behind each row of the weights (of B): rows then "
                        "begin in other sets of the caches. 16 are a line of f32.",
                        0, "elements", 0, 65536),
      dtype_parameter({"f32", "f64"})};
  workload.presets = {{"layer-l1", "Layer in the first cache (64)", {{"size", "64"}}},
                      {"layer-memory", "Layer beyond the caches (8192)", {{"size", "8192"}}},
                      {"matmul-512", "GEMM of 512, columns in conflict", {{"product", "matmul"}}},
                      {"matmul-500", "GEMM of 500, no power of two", {{"product", "matmul"}, {"size", "500"}}}};
  workload.small = {{"size", "37"}, {"tile", "8"}};
  workload.build = build_ladder;
  return workload;
}

}  // namespace engine
