// SPDX-License-Identifier: Apache-2.0
// transfer: copies to the host and back over a ladder of sizes, from which latency and bandwidth of the link are
// fitted.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/ops/ops.h"
#include "engine/ops/probes.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_transfer(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t smallest = integer_argument(arguments, "smallest"),
                largest = std::max(smallest, integer_argument(arguments, "largest"));
  const bool both = text_argument(arguments, "directions") == "both";
  const std::string& memory = text_argument(arguments, "memory");
  constexpr int64_t kMost = int64_t{1} << 56;
  if (largest > kMost) {
    return static_cast<void>(builder.fail(
        refused_error(fmt::format("[transfer] a block of {} bytes: no address reaches beyond {}", largest, kMost))));
  }
  const ValueId block =
      builder.input("block", TensorType::contiguous(DType::uint8, {largest}), Fill{Fill::Kind::integers, 0, 255});
  for (int64_t size = smallest; !builder.failed(); size = size > largest / 4 ? largest : 4 * size) {
    const LayerScope layer(builder, format_bytes(static_cast<double>(size)));
    builder.mark_output(ops::round_trip(builder, ops::slice(builder, block, 0, 0, size), memory, both));
    if (size == largest) return;
  }
}

}  // namespace

Workload transfer_workload() {
  Workload workload;
  workload.name = "transfer";
  workload.title = "Transfers";
  workload.description =
      "Blocks from 4 KiB to 1 GiB go to the host's memory and come back. A copy takes a fixed time "
      "(alpha) and a time "
      "per byte (beta). Where device and host share one memory, these are copies within it.";
  workload.on_command_line =
      "`analyze --table links` fits both for each direction, from CUPTI's times with --collect cupti, else from the "
      "host's.";
  workload.parameters = {
      integer_parameter("smallest", "Smallest block", "Each block is four times the one before.", 4096, "bytes"),
      integer_parameter("largest", "Largest block", "The last block.", int64_t{1} << 30, "bytes"),
      choice_parameter("memory", "Host memory",
                       "pinned: page-locked, which the GPU reads and writes by itself; pageable: staged by the driver.",
                       {"pinned", "pageable"}),
      choice_parameter("directions", "Directions",
                       "in_turn: to the host, then back; both: in halves, so that both directions are busy at once.",
                       {"in_turn", "both"})};
  workload.small = {{"largest", "65536"}};
  workload.build = build_transfer;
  return workload;
}

}  // namespace engine
