// SPDX-License-Identifier: Apache-2.0
// Chains from the ops' attributes.
#include "profiler/analysis/base/dependent_chain.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "profiler/capture/attribute.h"

namespace profiler {
namespace {

const TensorRecord* chain_output(const Capture& capture, const OpRecord& op) {
  for (const OperandRecord& operand : capture.operands(op)) {
    if (operand.output) return &capture.tensors()[operand.tensor];
  }
  return nullptr;
}

double chain_elements(const TensorRecord& tensor) {
  double count = 1;
  for (const int64_t extent : tensor.shape) count *= static_cast<double>(extent);
  return count;
}

}  // namespace

std::optional<DependentChain> dependent_chain(const Capture& capture, const OpRecord& op) {
  const std::string_view type = capture.name(op.type);
  DependentChain chain;
  if (type == "pointer_chase") {
    chain.in_a_row = chain.in_all = static_cast<double>(whole_attribute(capture, op.id, "accesses", 0));
    chain.operation = "load";
  } else if (type == "multiply_add_chain") {
    const TensorRecord* y = chain_output(capture, op);
    chain.in_a_row = static_cast<double>(whole_attribute(capture, op.id, "rounds", 0));
    chain.in_all = y == nullptr ? 0 : chain.in_a_row * chain_elements(*y);
    chain.operation = "multiply-add";
  }
  return chain.in_a_row > 0 ? std::optional(chain) : std::nullopt;
}

double multiply_adds_in_a_row(const Capture& capture, const OpRecord& op, int threads) {
  const TensorRecord* y = chain_output(capture, op);
  const int bits = capture.machine().info.vector_bits;
  if (capture.name(op.type) != "multiply_add_chain" || y == nullptr || bits <= 0) return 0;
  const double lanes = bits / 8.0 / static_cast<double>(engine::size_bytes(y->dtype)),
               in_flight = static_cast<double>(std::bit_floor(
                   static_cast<uint64_t>(std::max<int64_t>(1, whole_attribute(capture, op.id, "chains", 1))))),
               vectors = std::ceil(std::ceil(chain_elements(*y) / lanes) / std::max(1, threads));
  return static_cast<double>(whole_attribute(capture, op.id, "rounds", 0)) * std::ceil(vectors / in_flight);
}

}  // namespace profiler
