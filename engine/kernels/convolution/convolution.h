// SPDX-License-Identifier: Apache-2.0
// What conv2d, conv3d and their gradients share: the problem in oneDNN's words, and weights on their way between our
// layout and the one oneDNN likes best.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/kernels/convolution/weight_layout.h"
#include "engine/kernels/core/on_copies.h"
#include "engine/kernels/onednn/dnnl_support.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// One convolution in oneDNN's words; the same for the forward op and its gradients.
struct ConvolutionProblem {
  using Descriptor = dnnl::memory::desc;
  using Dims = dnnl::memory::dims;

  Descriptor x, y;
  Descriptor weight_any;   ///< layout left to oneDNN
  Descriptor weight_ours;  ///< [O, C/g, KH, KW] as it lies in memory, groups split off
  std::optional<Descriptor> bias;
  Dims stride, dilation, padding_begin, padding_end;  ///< dilation: elements skipped, as oneDNN counts
  /// Nothing with groups, other types than f32, and kernels whose positions are not neighbours.
  std::optional<PlainWeights> plain;
  int64_t weight_offset_bytes = 0;  ///< from the first weight to the first that the problem has (KernelPositions)
  double spared_flops = 0;          ///< of positions that are left out
};

/// Which positions of a kernel a problem has.
enum class KernelPositions : uint8_t {
  all,
  meeting,  ///< those that meet an element of x: a dilated kernel over a small image may lie in the padding with most
};

/// Nothing where oneDNN does not compute in these types and layouts.
std::optional<ConvolutionProblem> make_convolution_problem(const Attributes&, const TensorType& x,
                                                           const TensorType& weight, const TensorType& y,
                                                           const TensorType* bias,
                                                           KernelPositions = KernelPositions::all);

dnnl::convolution_forward::primitive_desc forward_desc(Context&, const ConvolutionProblem&, dnnl::prop_kind,
                                                       const dnnl::primitive_attr& = user_scratchpad());

// The kernels, of conv2d and of conv3d.
std::unique_ptr<PreparedOp> prepare_conv2d(Context&, const PrepareRequest&);
int64_t conv2d_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_conv2d_grad_input(Context&, const PrepareRequest&);
int64_t conv2d_grad_input_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_conv2d_grad_weight(Context&, const PrepareRequest&);
int64_t conv2d_grad_weight_workspace(Context&, const Node&, const Call&);

/// Images [N, C, ...] with channels side by side, then pixels, and nothing between them.
bool is_dense_channels_last(const TensorType&);

/// Bytes that weights in layout `packed` take in the workspace: none when it is ours.
size_t packed_bytes(const dnnl::memory::desc& packed, const dnnl::memory::desc& ours);

/// Weights from one layout to another, by our loops where they can (weight_layout.h), else by oneDNN's.
class WeightMove {
 public:
  /// Nothing when both layouts are one.
  static std::optional<WeightMove> to_packed(Context&, const ConvolutionProblem&, void* ours,
                                             const dnnl::memory::desc& packed, void* to);
  static std::optional<WeightMove> to_ours(Context&, const ConvolutionProblem&, const dnnl::memory::desc& packed,
                                           void* from, void* ours);
  /// By our loops.
  WeightMove(WeightLayout layout, bool packs, void* from, void* to, int threads)
      : layout_(std::move(layout)),
        packs_(packs),
        from_(static_cast<float*>(from)),
        to_(static_cast<float*>(to)),
        threads_(threads) {}
  explicit WeightMove(BoundPrimitive reorder) : reorder_(std::move(reorder)) {}

  void run() const;

 private:
  std::optional<WeightLayout> layout_;
  bool packs_ = false;
  float *from_ = nullptr, *to_ = nullptr;
  int threads_ = 1;
  BoundPrimitive reorder_;
};

/// A convolution with weights moved before (forward, grad_input) or after (grad_weight) it.
class ConvolutionOp final : public PreparedOp {
 public:
  std::optional<WeightMove> before, after;
  BoundPrimitive main;
  std::string name;
  bool before_once = false;
  double spared = 0;
  std::shared_ptr<Storage> packed_once;  ///< constant weights in oneDNN's layout

  /// Where the weights lie for the primitive: as they are, in the workspace, or, constant ones, packed once in memory
  /// of their own.
  void* place_weights(Context& context, const ConvolutionProblem& p, void* ours, const dnnl::memory::desc& packed,
                      void* in_workspace, bool constant);

  void run() override {
    if (before) {
      before->run();
      if (before_once) before.reset();
    }
    main.run();
    if (after) after->run();
  }
  KernelFacts facts() const override { return {.name = name, .library = KernelLibrary::onednn}; }
  bool reads_once(size_t input) const override { return input == 1 && packed_once != nullptr; }
  double spared_flops() const override { return spared; }
};

}  // namespace engine::cpu
