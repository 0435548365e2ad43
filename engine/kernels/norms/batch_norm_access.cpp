// SPDX-License-Identifier: Apache-2.0
// Batch norm over rows of channels: what the parts of batch_norm_loops.h access.
#include "engine/kernels/norms/batch_norm_loops.h"

#include <algorithm>
#include <optional>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/norms/channel_sums_access.h"

namespace engine::access {
namespace {

using loops::ChannelRows;

/// Nothing where own kernels do not take the op: its first `tensors` inputs and the first of its `results` are rows of
/// channels, all others vectors (in fused ops a result may be missing). In the workspace: sums of all blocks, as
/// doubles, then in their type; then `vectors` by channel that the op keeps.
std::optional<ChannelRows> rows_of(const OpCall& call, size_t tensors, size_t results, int64_t vectors) {
  if (call.outputs.size() != results || !has_own_loops(call)) return std::nullopt;
  const TensorType& y = call.outputs[0].type;
  const ChannelRows rows = loops::channel_rows(y.shape, y.strides);
  if (rows.rows == 0) return std::nullopt;
  const auto fits = [&](const std::vector<Operand>& operands, size_t whole) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const TensorType& type = operands[i].type;
      const bool vector =
          type.rank() == 1 && type.shape[0] == rows.channels && (rows.channels == 1 || type.strides[0] == 1);
      if (i < whole ? type.shape != y.shape || loops::channel_rows(type.shape, type.strides).rows == 0 : !vector)
        return false;
    }
    return true;
  };
  constexpr int64_t kDouble = sizeof(double);
  if (!fits(call.inputs, tensors) || !fits(call.outputs, 1)) return std::nullopt;
  if (rows.channels > static_cast<int64_t>(call.workspace_bytes) / kDouble / (4 * rows.blocks() + vectors))
    return std::nullopt;
  return rows;
}

/// What all of them share: where sums lie, and passes over the rows.
class BatchNorm {
 public:
  BatchNorm(const OpCall& call, const ChannelRows& rows, AccessSink& sink)
      : call_(call), rows_(rows), passes_(rows.channels, call.vector_bytes, sink) {}

  void sum_blocks() {
    for (int64_t block = 0; block < rows_.blocks() && !passes_.stopped(); ++block)
      loops::sum_block(rows_, block, *this);
  }
  void clear_sums(int64_t block) { passes_.one_by_one(width(), {{sums(block), kStore}}); }
  void join(int64_t block) { passes_.one_by_one(width(), {{sums(0)}, {sums(block)}, {sums(0), kStore}}); }
  /// Of x about a vector that the op keeps; of the gradient's five inputs, of the first two about the third.
  void sum(int64_t block, loops::Range rows) {
    const bool gradient = call_.inputs.size() == 5;
    const auto row = [&](size_t input) { return neighbours(call_.inputs[input], rows.begin * rows_.channels); };
    const Line scratch = in_workspace(call_, (rows_.blocks() * kDouble + block * bytes()) * width(), bytes());
    ChannelSums parts{passes_, gradient ? vector(2) : kept(0), scratch, sums(block),
                      row(0),  row(gradient ? 1 : 0),          gradient};
    loops::sum_channels({0, rows.size()}, parts);
  }

 protected:
  static constexpr int64_t kDouble = sizeof(double);
  int64_t width() const { return 2 * rows_.channels; }
  int64_t bytes() const { return size_bytes(call_.outputs[0].type.dtype); }
  Line sums(int64_t block) const { return in_workspace(call_, block * width() * kDouble, kDouble); }
  /// Vector `number` of those that the op keeps.
  Line kept(int64_t number) const {
    return in_workspace(call_, rows_.blocks() * width() * 2 * kDouble + number * rows_.channels * bytes(), bytes());
  }
  Line vector(size_t input) const { return neighbours(call_.inputs[input], 0); }
  Line result(size_t output) const { return neighbours(call_.outputs[output], 0); }
  /// y = (x - mean) * factor + bias.
  void normalize_rows(const Line& mean, const Line& factor) {
    const Line bias = vector(2);
    for (int64_t row = 0; row < rows_.rows && !passes_.stopped(); ++row) {
      const int64_t at = row * rows_.channels;
      passes_.vectors(
          {{neighbours(call_.inputs[0], at)}, {mean}, {factor}, {bias}, {neighbours(call_.outputs[0], at), kStore}});
    }
  }

  const OpCall& call_;
  ChannelRows rows_;
  Passes passes_;
};

/// (x, scale, bias) -> y, mean, inv_std. It keeps shifts and factors.
class Training final : public BatchNorm {
 public:
  using BatchNorm::BatchNorm;
  void shift() {
    const auto row = [&](int64_t number) { return neighbours(call_.inputs[0], number * rows_.channels); };
    passes_.one_by_one(rows_.channels, {{row(0)}, {row(rows_.rows / 2)}, {row(rows_.rows - 1)}, {kept(0), kStore}});
  }
  void statistics() {
    passes_.one_by_one(rows_.channels, {{sums(0)},
                                        {from(sums(0), rows_.channels)},
                                        {kept(0)},
                                        {result(1), kStore},
                                        {result(2), kStore},
                                        {vector(1)},
                                        {kept(1), kStore}});
  }
  void normalize() { normalize_rows(result(1), kept(1)); }
};

/// (x, scale, bias, mean, variance) -> y. It keeps factors.
class Inference final : public BatchNorm {
 public:
  using BatchNorm::BatchNorm;
  void factors() { passes_.one_by_one(rows_.channels, {{vector(1)}, {vector(4)}, {kept(0), kStore}}); }
  void normalize() { normalize_rows(vector(3), kept(0)); }
};

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias. It keeps factors and two coefficients.
class Gradient final : public BatchNorm {
 public:
  using BatchNorm::BatchNorm;
  void coefficients() {
    passes_.one_by_one(rows_.channels, {{vector(3)},
                                        {sums(0)},
                                        {result(2), kStore},
                                        {from(sums(0), rows_.channels)},
                                        {result(1), kStore},
                                        {vector(4)},
                                        {kept(0), kStore},
                                        {kept(1), kStore},
                                        {kept(2), kStore}});
  }
  void gradient() {
    for (int64_t row = 0; row < rows_.rows && !passes_.stopped(); ++row) {
      const int64_t at = row * rows_.channels;
      passes_.vectors({{neighbours(call_.inputs[1], at)},
                       {vector(2)},
                       {neighbours(call_.inputs[0], at)},
                       {kept(1)},
                       {kept(2)},
                       {kept(0)},
                       {neighbours(call_.outputs[0], at), kStore}});
    }
  }
};

}  // namespace

bool describe_batch_norm_training(const OpCall& call, AccessSink& sink) {
  const auto rows = rows_of(call, 1, 3, 2);
  if (!rows) return false;
  Training parts(call, *rows, sink);
  loops::batch_norm_training(*rows, parts);
  return true;
}

bool describe_batch_norm_inference(const OpCall& call, AccessSink& sink) {
  const auto rows = rows_of(call, 1, 1, 1);
  if (!rows) return false;
  Inference parts(call, *rows, sink);
  loops::batch_norm_inference(parts);
  return true;
}

bool describe_batch_norm_grad(const OpCall& call, AccessSink& sink) {
  const auto rows = rows_of(call, 2, 3, 3);
  if (!rows) return false;
  Gradient parts(call, *rows, sink);
  loops::batch_norm_gradient(*rows, parts);
  return true;
}

}  // namespace engine::access
