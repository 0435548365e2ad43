// SPDX-License-Identifier: Apache-2.0
// Shares from the ops' kinds, exact FLOPs and times.
#include "profiler/analysis/work_shares.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/graph/op.h"
#include "engine/ops/ops.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"

namespace profiler {
namespace {

bool is_matrix(std::string_view type) {
  const engine::Op* op = engine::find_op(type);
  return op != nullptr && op->matrix_product;
}

/// FLOPs of an op that are of matrix multiplications: all but those of other members. A member's own are by its
/// definition, of which Winograd's filtering computes fewer.
double matrix_flops(const Capture& capture, const OpRecord& op) {
  const auto members = capture.fused_members(op.id);
  if (members.empty()) return is_matrix(capture.name(op.type)) ? op.flops : 0;
  double others = 0;
  bool any = false;
  for (const FusedMemberRecord& member : members) {
    if (is_matrix(capture.name(member.type))) any = any || member.flops > 0;
    else others += member.flops;
  }
  return any ? std::max(0.0, op.flops - others) : 0;
}

}  // namespace

MatrixShare matrix_share(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  MatrixShare share;
  if (!capture.run().source.empty()) {
    share.flops = share.flops_ratio = share.time_ratio = kUnknown;
    return share;
  }
  double flops = 0, time = 0, matrix_time = 0;
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    const double matrix = matrix_flops(capture, op);
    const Spread& ns = analyzed.times[op.id].ns;
    const double took = ns.samples > 0 ? ns.median : 0;
    flops += op.flops;
    time += took;
    share.flops += matrix;
    if (!(matrix > 0)) continue;
    ++share.ops;
    matrix_time += took;
  }
  share.flops_ratio = flops > 0 ? share.flops / flops : kUnknown;
  share.time_ratio = time > 0 ? matrix_time / time : kUnknown;
  return share;
}

std::string matrix_share_words(const Analyzed& analyzed) {
  const MatrixShare share = matrix_share(analyzed);
  if (share.ops == 0 || std::isnan(share.flops_ratio)) return {};
  const auto percent = [](double ratio) { return format_quantity(ratio, Quantity::percent_of); };
  std::string text = say("Matrix multiplications and convolutions do {} of the FLOPs", percent(share.flops_ratio));
  if (!std::isnan(share.time_ratio) && analyzed.capture->computed())
    text += say(" in {} of the ops' time", percent(share.time_ratio));
  return text + ".";
}

double activation_count(const Capture& capture) {
  if (!capture.run().source.empty()) return kUnknown;
  std::set<TensorId> counted;
  double elements = 0;
  for (const OpRecord& op : capture.ops()) {
    if (op.view || op.phase != Phase::forward) continue;
    for (const OperandRecord& operand : capture.operands(op)) {
      const TensorRecord& tensor = capture.tensors()[operand.tensor];
      if (!operand.output || tensor.role != Role::activation || tensor.alias_of != kNoTensor) continue;
      if (!counted.insert(operand.tensor).second) continue;
      double count = 1;
      for (const int64_t extent : tensor.shape) count *= static_cast<double>(extent);
      elements += count;
    }
  }
  return elements;
}

}  // namespace profiler
