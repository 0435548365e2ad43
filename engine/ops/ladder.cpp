// SPDX-License-Identifier: Apache-2.0
// The rungs of the ladder and the op that names one of them. It is not differentiable: nobody learns with it.
#include "engine/ops/ladder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"

namespace engine::ops {
namespace {

constexpr std::array kRungs{
    LadderRung{"naive",
               "for i, j, k: one sum after the other, b read by columns; no vector instruction, deliberately slow"},
    LadderRung{"reordered", "for i, k, j: b and c by rows; no vector instruction, deliberately slow"},
    LadderRung{"tiled", "the same in tiles that stay in the first cache; no vector instruction, deliberately slow"},
    LadderRung{"simd128", "the tiled loops with vectors of 128 bits", 128},
    LadderRung{"simd256", "the tiled loops with vectors of 256 bits", 256},
    LadderRung{"simd512", "the tiled loops with vectors of 512 bits", 512},
    LadderRung{"registers", "a tile of c stays in the widest vector registers for the whole sum"},
    LadderRung{"packed", "panels of a and b are copied together first"},
    LadderRung{"threaded", "the same on all threads of the run"},
};

constexpr int64_t kLargestTile = 65536;

InferResult infer(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("ladder_product", inputs, {"a", "b"});
  if (!check.operand_count() || !check.same_dtype() || !check.floating(0) || !check.rank(0, 2) || !check.rank(1, 2))
    return check.error();
  const Shape &a = inputs[0].shape, &b = inputs[1].shape;
  const std::string rung = attributes.get_string("rung", "naive");
  const int64_t tile = attributes.get_int("tile", 64);
  if (!check.that(a[1] == b[0], "inner dimensions differ: a has k = {}, b has k = {}", a[1], b[0]) ||
      !check.that(std::ranges::find(kRungs, rung, &LadderRung::name) != kRungs.end(), "there is no rung \"{}\"",
                  rung) ||
      !check.that(tile >= 1 && tile <= kLargestTile, "tile = {}, expected 1 to {}", tile, kLargestTile) ||
      !check.addressable("the result", inputs[0].dtype, {a[0], b[1]})) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, {a[0], b[1]})};
}

void reference(KernelArguments& arguments) {
  const Tensor& out = arguments.outputs[0];
  const int64_t m = out.shape()[0], n = out.shape()[1], k = arguments.inputs[0].shape()[1];
  const bool sigmoid = arguments.attributes->get_int("sigmoid", 0) != 0;
  const std::vector<double> a = load(arguments.inputs[0]), b = load(arguments.inputs[1]);
  std::vector<double> c(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a[static_cast<size_t>(i * k + l)] * b[static_cast<size_t>(l * n + j)];
      c[static_cast<size_t>(i * n + j)] = sigmoid ? 1 / (1 + std::exp(-sum)) : sum;
    }
  }
  store(out, c);
}

}  // namespace

const Op kLadderProduct{
    .name = "ladder_product",
    .formula = "c[m, n] = sum_k a[m, k] b[k, n], or its sigmoid",
    .infer = infer,
    .cost =
        [](const Call& call) {
          const double sigmoid = call.attributes.get_int("sigmoid", 0) != 0 ? 4 : 0;  // as of the op sigmoid
          return elementwise_cost(call, 2.0 * static_cast<double>(call.inputs[0].shape[1]) + sigmoid);
        },
    .reference = reference,
    .matrix_product = true,
    .attributes = {AttributeSpec::word("rung", "naive"), AttributeSpec::whole("tile", 64),
                   AttributeSpec::whole("sigmoid", 0)},
};

std::span<const LadderRung> ladder_rungs() { return kRungs; }

std::span<const Op* const> ladder_ops() {
  static constexpr const Op* kOps[] = {&kLadderProduct};
  return kOps;
}

ValueId ladder_product(GraphBuilder& builder, ValueId a, ValueId b, std::string_view rung, int64_t tile, bool sigmoid) {
  return builder.append1(kLadderProduct, {a, b},
                         {{"rung", std::string(rung)}, {"tile", tile}, {"sigmoid", int64_t{sigmoid}}});
}

}  // namespace engine::ops
