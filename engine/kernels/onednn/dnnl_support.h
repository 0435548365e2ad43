// SPDX-License-Identifier: Apache-2.0
// From our tensors to oneDNN's memories, and a oneDNN primitive with all its arguments bound.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernels/core/context.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// What the kernels of one backend share of oneDNN; Context::dnnl.
struct DnnlRuntime {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

/// oneDNN's dimensions of the same extents.
dnnl::memory::dims dnnl_dims(const Shape&);

/// f32, and bf16 where dnnl_has_bf16() (matmul_choice.h); nothing for other types.
std::optional<dnnl::memory::data_type> dnnl_compute_type(DType);
/// "oneDNN brgconv:avx512_core_bf16, bf16 with f32 sums".
std::string shown_dnnl_kernel(const char* implementation, DType dtype);

/// oneDNN's plain loops (ref:any, gemm:ref) are up to a thousand times slower than its kernels, or ours, on copies.
bool is_plain_loop(std::string_view implementation);

/// Descriptor of a rank-4 or rank-5 activation of a type oneDNN computes in. Layouts that are channels last (or
/// row-major) up to axes of extent 1 are named by their tag, because oneDNN chooses kernels by tag; others keep their
/// strides. Nothing where strided_desc() has nothing.
std::optional<dnnl::memory::desc> image_desc(const TensorType&);

/// Descriptor with the type's own strides (types oneDNN computes in only; axes of extent 1 may have any stride).
/// Nothing for negative or zero strides, and where rows overlap as oneDNN sees them: a stride is smaller than the one
/// before it times its extent, as in every other of 5 columns (strides 5 and 2, of 3 elements).
std::optional<dnnl::memory::desc> strided_desc(const TensorType&);

/// Of 8-bit integers; nothing for other types.
std::optional<dnnl::memory::data_type> dnnl_byte_type(DType);

/// Whether oneDNN's name of a kernel holds that of a unit: "vnni", "amx".
template <class PrimitiveDescriptor>
bool names_unit(const PrimitiveDescriptor& primitive, std::string_view unit) {
  return std::string_view(primitive.impl_info_str()).find(unit) != std::string_view::npos;
}

/// Whether a kernel multiplies bytes with sums of 32 bits: others add pairs in 16 bits, which do not hold them.
template <class PrimitiveDescriptor>
bool computes_bytes(const PrimitiveDescriptor& primitive) {
  return names_unit(primitive, "vnni") || names_unit(primitive, "amx");
}

/// oneDNN asks the processor about its tiles in each call of an AMX kernel, which takes microseconds in a virtual
/// machine. Below this many products of bytes VNNI is as fast or faster (measured: 18 against 31 us per convolution of
/// a MobileNetV2 at 96 x 96).
inline constexpr double kFewProducts = 8e6;

/// `first`; where it is AMX's and there are few products, the next one of VNNI's that `make()` leads to, if any.
template <class PrimitiveDescriptor, class Make>
PrimitiveDescriptor for_few_products(const PrimitiveDescriptor& first, const Make& make, double products) {
  if (!names_unit(first, "amx") || products >= kFewProducts) return first;
  PrimitiveDescriptor other = make();
  while (other.next_impl()) {
    if (names_unit(other, "vnni") && !names_unit(other, "amx")) return other;
  }
  return first;
}

/// Attributes all primitives are made with: the scratchpad is ours.
dnnl::primitive_attr user_scratchpad();

/// A primitive with its arguments bound to addresses: running it only computes.
class BoundPrimitive {
 public:
  BoundPrimitive() = default;
  BoundPrimitive(Context& context, dnnl::primitive primitive, std::vector<std::pair<int, dnnl::memory>> arguments);
  void run() const;

 private:
  Context* context_ = nullptr;
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;  // keep the handles in arguments_ alive
  std::vector<dnnl_exec_arg_t> arguments_;
};

/// A reorder from one descriptor to another, or nothing when they are equal.
std::optional<BoundPrimitive> bind_reorder(Context&, const dnnl::memory::desc& from, void* from_data,
                                           const dnnl::memory::desc& to, void* to_data);

}  // namespace engine::cpu
