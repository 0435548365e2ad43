// SPDX-License-Identifier: Apache-2.0
// load_batch: type and cost.
#include "engine/ops/data_loading.h"

#include "engine/ops/check.h"
#include "engine/ops/cost.h"

namespace engine::ops {
namespace {

constexpr int64_t kMostBatches = 4096;

InferResult infer(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("load_batch", inputs, {});
  const std::vector<int64_t> shape = attributes.get_ints("shape", {});
  const int64_t batches = attributes.get_int("batches", 1);
  if (!check.operand_count() ||
      !check.that(shape.size() == 4, "a batch of images has 4 axes, [batch, channels, height, width], got {}",
                  shape.size()) ||
      !check.that(batches >= 1 && batches <= kMostBatches, "batches = {}, expected 1 to {}", batches, kMostBatches) ||
      !check.that(attributes.get_int("delay", 0) >= 0, "delay must not be negative, got {}",
                  attributes.get_int("delay", 0)) ||
      !check.addressable("the result", DType::float32, shape)) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(DType::float32, shape)};
}

/// Per pixel a multiplication and an addition.
Cost cost(const Call& call) { return full_cost(call, 2.0 * static_cast<double>(call.outputs[0].elements())); }

}  // namespace

ValueId load_batch(GraphBuilder& builder, const Shape& shape, const LoadBatchOptions& options) {
  return builder.append1(kLoadBatch, {},
                         {{"shape", std::vector<int64_t>(shape.begin(), shape.end())},
                          {"batches", options.batches},
                          {"overlap", int64_t{options.overlap}},
                          {"delay", options.delay_us},
                          {"seed", options.seed},
                          {"from_memory", int64_t{options.memory}}});
}

const Op kLoadBatch{
    .name = "load_batch",
    .formula = "y = the next batch of a data set",
    .infer = infer,
    .cost = cost,
    .attributes = {AttributeSpec::list("shape"), AttributeSpec::whole("batches", 1), AttributeSpec::whole("overlap", 1),
                   AttributeSpec::whole("delay", 0), AttributeSpec::whole("seed", 1),
                   AttributeSpec::whole("from_memory", 0)},
};

}  // namespace engine::ops
