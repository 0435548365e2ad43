// SPDX-License-Identifier: Apache-2.0
// The list of OpenCL kernels: which code computes which op for which types, and what their preparations share.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/opencl/context.h"
#include "engine/opencl/walk.h"
#include "engine/runtime/backend.h"

namespace engine::opencl {

using PreparedKernel = Result<std::unique_ptr<PreparedOp>>;

/// One way to compute one op.
struct Kernel {
  std::string_view op;
  /// Whether it takes these types.
  bool (*takes)(const Node&, const Call&);
  PreparedKernel (*prepare)(Context&, const PrepareRequest&);
  /// Scratch bytes prepare() will find in the request; null: none.
  int64_t (*workspace_bytes)(const Node&, const Call&) = nullptr;
};

/// All kernels.
std::span<const Kernel> kernels();

// One list per family.
std::span<const Kernel> attention_kernels();
std::span<const Kernel> convolution_kernels();
std::span<const Kernel> copy_kernels();
std::span<const Kernel> elementwise_kernels();
std::span<const Kernel> gather_kernels();
std::span<const Kernel> norm_kernels();
std::span<const Kernel> pooling_kernels();
std::span<const Kernel> product_kernels();
std::span<const Kernel> reduce_kernels();
std::span<const Kernel> softmax_kernels();
std::span<const Kernel> update_kernels();

bool takes_any(const Node&, const Call&);
/// All operands are f32, or all are f64.
bool takes_reals(const Node&, const Call&);
inline bool is_real(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

/// Work-items of a group where a kernel does not say otherwise.
inline constexpr int64_t kGroup = 64;

/// Puts the arguments of one kernel in order. The first error is what launch() gives.
class LaunchBuilder {
 public:
  LaunchBuilder(Context& context, ProgramKey key, std::string kernel);
  /// Buffer, and offset in elements: two arguments.
  LaunchBuilder& tensor(const Tensor& tensor);
  LaunchBuilder& memory(const std::byte* address, int64_t element_bytes);
  LaunchBuilder& whole(int64_t value);
  /// As `real` is in this program.
  LaunchBuilder& real(double value);
  /// In constant memory.
  LaunchBuilder& walk(const Walk& walk) { return constants(&walk, sizeof walk); }
  LaunchBuilder& numbers(std::span<const int64_t> numbers) {
    return constants(numbers.data(), numbers.size() * sizeof(int64_t));
  }

  /// At least so many work-items.
  Result<Launch> over(int64_t items, int64_t per_group = kGroup);
  Result<Launch> groups(int64_t x, int64_t y, int64_t z, int64_t items);

 private:
  LaunchBuilder& bytes(const void* value, size_t size);
  LaunchBuilder& constants(const void* data, size_t size);

  Context& context_;
  const bool doubles_;
  Launch launch_;
  cl_uint arguments_ = 0;
  std::optional<Error> error_;
};

/// An op that is these launches, one behind the other.
PreparedKernel launched(Context&, const PrepareRequest&, KernelFacts facts, std::vector<Result<Launch>> launches);
PreparedKernel launched(Context&, const PrepareRequest&, std::string kernel_name, Result<Launch> launch);
/// "[conv2d] layer1.conv: the operand has more than 8 axes that cannot be merged".
Error refuse(const PrepareRequest&, std::string_view why);
inline constexpr std::string_view kTooManyAxes = "an operand has more than 8 axes that cannot be merged";

}  // namespace engine::opencl
