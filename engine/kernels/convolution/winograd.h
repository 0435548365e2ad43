// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions and their gradients by Winograd's minimal filtering.
#pragma once

#include <memory>
#include <optional>

#include "engine/kernels/convolution/winograd_rule.h"
#include "engine/kernels/convolution/winograd_simd.h"
#include "engine/kernels/core/context.h"
#include "engine/kernels/core/finish.h"
#include "engine/kernels/core/on_copies.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// The shape, where the context's options let it be computed so and it is expected to be faster.
std::optional<loops::WinogradShape> choose_winograd(const Context&, bool by_input, const Attributes&,
                                                    const TensorType& x, const TensorType& weight, const TensorType& y,
                                                    bool constant_weights);

/// The same of the gradient by the weights, which are of type `weight`.
std::optional<loops::WinogradShape> choose_winograd_gradient(const Context&, const Attributes&, const TensorType& x,
                                                             const TensorType& weight, const TensorType& y);
std::unique_ptr<PreparedOp> prepare_winograd_gradient(Context&, const PrepareRequest&);
int64_t winograd_gradient_workspace(Context&, const Node&, const Call&);

/// Bytes of workspace; of weights that are constant none.
int64_t winograd_workspace(const Context&, const loops::WinogradShape&, bool constant_weights);

/// Bytes of so many numbers, up to whole lines.
int64_t winograd_bytes(int64_t elements);
/// How images lie whose channels are side by side.
WinogradImages winograd_images(const Tensor&);

/// A kernel of images as they lie, of any strides, where their channels are side by side; else of copies that lie so.
std::unique_ptr<PreparedOp> prepare_images_or_copies(Context&, const PrepareRequest&, PrepareKernel);
int64_t workspace_of_images_or_copies(Context&, const Node&, const Call&, KernelWorkspace);

/// A convolution made ready.
class Winograd final : public PreparedOp {
 public:
  struct Operands {
    Tensor x, weight, y;
    const float* bias = nullptr;
    bool by_input = false;  ///< x: dy; y: dx
    bool constant_weights = false;
  };
  /// Null: there is no memory to keep constant weights transformed. `finish`: called for each stretch of y once it is
  /// written, or empty; y must be dense then.
  static std::unique_ptr<Winograd> make(Context&, const loops::WinogradShape&, Operands, std::byte* workspace,
                                        Finish finish);

  void run() override;
  /// Transforms the weights, each output's times its factor where there are factors.
  void take_weights(const float* factor);
  /// run() without take_weights().
  void convolve() const;
  KernelFacts facts() const override { return facts_of_kind(); }
  static KernelFacts facts_of_kind();
  bool reads_once(size_t input) const override { return input == 1 && kept_ != nullptr; }
  double spared_flops() const override;

 private:
  Winograd(const loops::WinogradShape&, Operands, std::byte* workspace, int threads, Finish finish);

  Operands operands_;
  WinogradLoops loops_ = winograd_loops();
  WinogradCall call_;
  std::shared_ptr<Storage> kept_;  ///< transformed weights that do not change
  float *u_ = nullptr, *scratch_ = nullptr;
  bool taken_ = false;
  int threads_;
  Finish finish_;
};

}  // namespace engine::cpu
