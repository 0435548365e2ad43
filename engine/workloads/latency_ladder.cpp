// SPDX-License-Identifier: Apache-2.0
// latency_ladder: dependent loads over a working set, to see how long one load takes from each level.
#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "engine/ops/probes.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// One position is visited per line of this size: on processors with longer lines neighbours share one.
constexpr int64_t kLineBytes = 64;
constexpr int64_t kStop = kLineBytes / static_cast<int64_t>(sizeof(int64_t));

/// The next position of every position, one stop per line: a random cycle through all lines. Source: Sattolo, "An
/// algorithm to generate a random cyclic permutation", Information Processing Letters 22, 1986.
Result<Tensor> random_cycle(int64_t lines) {
  Result<Tensor> next = Tensor::empty(TensorType::contiguous(DType::int64, {lines * kStop}));
  if (!next) return next;
  std::vector<int64_t> order(static_cast<size_t>(lines));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::mt19937_64 random(1);
  for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  auto* out = next->data_as<int64_t>();
  std::fill_n(out, lines * kStop, int64_t{0});
  for (size_t i = 0; i < order.size(); ++i) out[static_cast<int64_t>(i) * kStop] = order[i] * kStop;
  return next;
}

void build_latency_ladder(GraphBuilder& builder, const Arguments& arguments) {
  Result<Tensor> next = random_cycle(integer_argument(arguments, "working_set") / kLineBytes);
  if (!next) return static_cast<void>(builder.fail(next.error()));
  builder.set_layer("chase");
  builder.mark_output(ops::pointer_chase(builder, builder.constant("next", *std::move(next), Role::input),
                                         integer_argument(arguments, "accesses")));
}

}  // namespace

Workload latency_ladder_workload() {
  Workload workload;
  workload.name = "latency_ladder";
  workload.title = "Latency ladder";
  workload.description =
      "A pointer chase: each load names the address of the next, along a random cycle through all "
      "lines of the working "
      "set. Neither prefetching nor parallelism helps. Time per access climbs one rung with each "
      "cache the working set "
      "outgrows.";
  workload.parameters = {
      integer_parameter("working_set", "Working set", "Bytes the cycle runs through, in lines of 64.", int64_t{1} << 20,
                        "bytes", kLineBytes, 0x1p36),
      integer_parameter("accesses", "Accesses", "Dependent loads per step.", int64_t{1} << 18, "loads")};
  workload.small = {{"working_set", "4096"}, {"accesses", "1000"}};
  workload.build = build_latency_ladder;
  return workload;
}

}  // namespace engine
