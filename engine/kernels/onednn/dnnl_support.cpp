// SPDX-License-Identifier: Apache-2.0
// Builds oneDNN descriptors from tensor types and runs bound primitives through the C interface (no
// map per call).
#include "engine/kernels/onednn/dnnl_support.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/kernels/core/cpu_features.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {
namespace {

/// Strides with those of extent-1 axes, which address nothing, replaced by the dense ones of
/// `dense`.
Strides significant_strides(const TensorType& type, const Strides& dense) {
  Strides strides = type.strides;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    if (type.shape[axis] == 1) strides[axis] = dense[axis];
  }
  return strides;
}

bool positive(const Strides& strides) {
  for (int64_t stride : strides) {
    if (stride <= 0) return false;
  }
  return true;
}

}  // namespace

dnnl::memory::dims dnnl_dims(const Shape& shape) { return {shape.begin(), shape.end()}; }

bool dnnl_has_bf16() {
  static const bool has = [] {
    const std::vector<std::string> features = cpu_features();
    const auto listed = [&](const char* feature) { return std::ranges::find(features, feature) != features.end(); };
    const auto isa = dnnl::get_effective_cpu_isa();  // what the environment leaves of it
    const bool allowed = isa == dnnl::cpu_isa::avx512_core_bf16 || isa == dnnl::cpu_isa::avx512_core_amx;
    return allowed && (listed("avx512-bf16") || listed("amx-bf16"));
  }();
  return has;
}

std::optional<dnnl::memory::data_type> dnnl_compute_type(DType dtype) {
  if (dtype == DType::float32) return dnnl::memory::data_type::f32;
  if (dtype == DType::bfloat16 && dnnl_has_bf16()) return dnnl::memory::data_type::bf16;
  return std::nullopt;
}

std::string shown_dnnl_kernel(const char* implementation, DType dtype) {
  return std::string("oneDNN ") + implementation + (dtype == DType::bfloat16 ? ", bf16 with f32 sums" : "");
}

bool is_plain_loop(std::string_view implementation) {
  return implementation.starts_with("ref") || implementation.find(":ref") != std::string_view::npos;
}

std::optional<dnnl::memory::data_type> dnnl_byte_type(DType dtype) {
  if (dtype == DType::uint8) return dnnl::memory::data_type::u8;
  return dtype == DType::int8 ? std::optional(dnnl::memory::data_type::s8) : std::nullopt;
}

std::optional<dnnl::memory::desc> image_desc(const TensorType& type) {
  using tag = dnnl::memory::format_tag;
  const auto data_type = dnnl_compute_type(type.dtype);
  if (!data_type || (type.rank() != 4 && type.rank() != 5)) return std::nullopt;
  if (type.rank() == 5) {
    const Shape& s = type.shape;
    const Strides stored = contiguous_strides({s[0], s[2], s[3], s[4], s[1]});
    const Strides ndhwc{stored[0], stored[4], stored[1], stored[2], stored[3]};
    if (significant_strides(type, ndhwc) == ndhwc) return dnnl::memory::desc(dnnl_dims(s), *data_type, tag::ndhwc);
    return strided_desc(type);
  }
  const Strides nhwc = channels_last_strides(type.shape), nchw = contiguous_strides(type.shape);
  if (significant_strides(type, nhwc) == nhwc) return dnnl::memory::desc(dnnl_dims(type.shape), *data_type, tag::nhwc);
  if (significant_strides(type, nchw) == nchw) return dnnl::memory::desc(dnnl_dims(type.shape), *data_type, tag::nchw);
  return strided_desc(type);
}

std::optional<dnnl::memory::desc> strided_desc(const TensorType& type) {
  const auto data_type = dnnl_compute_type(type.dtype);
  if (!data_type || type.rank() == 0 || type.rank() > DNNL_MAX_NDIMS) return std::nullopt;
  const Strides strides = significant_strides(type, contiguous_strides(type.shape));
  if (!positive(strides)) return std::nullopt;
  const dnnl::memory::desc desc(dnnl_dims(type.shape), *data_type, dnnl::memory::dims(strides.begin(), strides.end()),
                                /*allow_empty=*/true);
  return desc.is_zero() ? std::nullopt : std::optional(desc);
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

BoundPrimitive::BoundPrimitive(Context& context, dnnl::primitive primitive,
                               std::vector<std::pair<int, dnnl::memory>> arguments)
    : context_(&context), primitive_(std::move(primitive)) {
  for (auto& [slot, memory] : arguments) {
    memories_.push_back(memory);
    arguments_.push_back({.arg = slot, .memory = memory.get()});
  }
}

void BoundPrimitive::run() const {
  const CallingThreads as_made(context_->threads);
  const dnnl_status_t status = dnnl_primitive_execute(primitive_.get(), context_->dnnl->stream.get(),
                                                      static_cast<int>(arguments_.size()), arguments_.data());
  CHECK(status == dnnl_success);  // all arguments were checked when the primitive was bound
}

std::optional<BoundPrimitive> bind_reorder(Context& context, const dnnl::memory::desc& from, void* from_data,
                                           const dnnl::memory::desc& to, void* to_data) {
  if (from == to) return std::nullopt;
  const dnnl::reorder::primitive_desc descriptor(context.dnnl->engine, from, context.dnnl->engine, to);
  return BoundPrimitive(context, dnnl::reorder(descriptor),
                        {{DNNL_ARG_FROM, dnnl::memory(from, context.dnnl->engine, from_data)},
                         {DNNL_ARG_TO, dnnl::memory(to, context.dnnl->engine, to_data)}});
}

}  // namespace engine::cpu
