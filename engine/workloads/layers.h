// SPDX-License-Identifier: Apache-2.0
// Layers as data: networks are tables of LayerSpec, written in code or read from a file, and appended to a graph here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/builder.h"
#include "engine/workloads/workload.h"

namespace engine {

enum class LayerKind : uint8_t {
  conv2d,
  linear,
  batch_norm,
  relu,
  relu6,  ///< min(max(x, 0), 6)
  sigmoid,
  tanh,
  gelu,     ///< exact, by the error function
  dropout,  ///< in training only, another mask in each step
  max_pool,
  average_pool,
  global_average_pool,  ///< [N,C,H,W] -> [N,C]
  flatten,
  block,       ///< branches[0], one after the other, in a layer of its own
  residual,    ///< the sum of what all branches make of x; an empty branch is x itself
  concat,      ///< what all branches make of x, joined along the channels
  embedding,   ///< tokens [N,T] -> [N,T,units]
  lstm,        ///< [N,T,I] -> [N,units] after the last step, or [N,T,units]
  attention,   ///< multi-head self-attention over [N,T,W]
  layer_norm,  ///< over the last axis
  subsample,   ///< every stride-th pixel of each axis, with channels of zeros appended up to `units`; no weights
};

/// One layer, or several that belong together. Fields that a kind does not use are ignored.
struct LayerSpec {
  LayerKind kind = LayerKind::relu;
  std::string name = {};  ///< path inside the enclosing layer, "conv1"; empty: the enclosing layer itself
  int64_t units = 0;      ///< conv2d: filters; linear: outputs
  int64_t kernel = 1, stride = 1, padding = 0;  ///< conv2d and pools; the padding is the same on all sides
  int64_t groups = 1;                           ///< conv2d; kDepthwise: one per channel
  bool bias = false;                            ///< conv2d and linear
  double ratio = 0.5;                           ///< dropout: the share of elements that becomes 0
  int64_t vocabulary = 0;                       ///< embedding: rows of its table
  int64_t heads = 1;                            ///< attention: divides the values
  bool causal = false;                          ///< attention: no step sees a later one
  bool all_steps = false;                       ///< lstm: puts out every step, not the last alone
  bool ceil_mode = false;                       ///< pools: windows that hang over the edge count too
  std::vector<std::vector<LayerSpec>> branches = {};

  static constexpr int64_t kDepthwise = -1;
};

/// Short forms for tables.
namespace layers {
using Sequence = std::vector<LayerSpec>;

/// Without bias, padded by half the kernel: a stride of 1 keeps the extents.
LayerSpec conv(std::string name, int64_t filters, int64_t kernel, int64_t stride = 1);
LayerSpec linear(std::string name, int64_t outputs);  ///< with bias
LayerSpec batch_norm(std::string name);
LayerSpec relu(std::string name = {});
LayerSpec max_pool(std::string name, int64_t kernel, int64_t stride, int64_t padding = 0, bool ceil_mode = false);
LayerSpec average_pool(std::string name, int64_t kernel, int64_t stride, int64_t padding = 0, bool ceil_mode = false);
LayerSpec global_average_pool(std::string name);
LayerSpec flatten(std::string name);
LayerSpec block(std::string name, Sequence body);
LayerSpec residual(std::string name, Sequence body, Sequence shortcut = {});
LayerSpec concat(std::string name, std::vector<Sequence> branches);

/// The same layer with a bias; the same layer with another padding.
LayerSpec with_bias(LayerSpec layer);
LayerSpec padded(LayerSpec layer, int64_t padding);
/// Appends `more` to `sequence`.
void extend(Sequence& sequence, Sequence more);
}  // namespace layers

/// Appends layers to a builder, with what all layers of one network share.
class LayerBuilder {
 public:
  LayerBuilder(GraphBuilder& builder, DType dtype, bool training)
      : builder_(builder), dtype_(dtype), training_(training) {}
  /// "dtype" and "mode" of a workload.
  LayerBuilder(GraphBuilder& builder, const Arguments& arguments);

  /// An input of images [batch, channels, height, width], channels last, normally distributed.
  ValueId images(const Shape& shape);
  /// What the layers make of x, one after the other. After an error: kNoValue, and failed_at() tells the layer.
  ValueId append(ValueId x, std::span<const LayerSpec> sequence);
  ValueId append(ValueId x, const LayerSpec& layer);
  /// The innermost layer that was being appended when the builder got its first error; null when it has none.
  const LayerSpec* failed_at() const { return failed_at_; }

  /// A trained parameter of the current layer, "<layer>.<name>", in the network's type.
  ValueId weight(std::string_view name, Shape shape, const Fill& fill);
  /// y = x W^T + b over the last axis of x [B, in] or [..., in]. The weights "<layer>.<name>.weight" start uniform in
  /// +-1/sqrt(in), as those of torch.nn.Linear.
  ValueId linear(ValueId x, std::string_view name, int64_t outputs, bool bias = true);

  GraphBuilder& graph() const { return builder_; }
  DType dtype() const { return dtype_; }
  bool training() const { return training_; }

 private:
  ValueId append_kind(ValueId x, const LayerSpec& layer);
  ValueId conv2d(ValueId x, const LayerSpec& layer);
  ValueId batch_norm(ValueId x);
  ValueId subsample(ValueId x, const LayerSpec& layer);
  ValueId dropout(ValueId x, const LayerSpec& layer);
  std::vector<ValueId> branches(ValueId x, const LayerSpec& layer);
  bool takes_images(ValueId x, std::string_view kind);

  GraphBuilder& builder_;
  DType dtype_;
  bool training_;
  const LayerSpec* failed_at_ = nullptr;
  ValueId draw_ = kNoValue;  ///< of all dropout layers of this step
  int64_t dropouts_ = 0;     ///< so far: each has a seed of its own
};

}  // namespace engine
