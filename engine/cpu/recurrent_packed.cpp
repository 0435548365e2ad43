// SPDX-License-Identifier: Apache-2.0
// Products of recurrent layers with weights packed once for all steps, by oneDNN's matmul.
#include <initializer_list>
#include <iterator>

#include "engine/base/check.h"
#include "engine/cpu/dnnl_support.h"
#include "engine/cpu/recurrent.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;

class DnnlPackedProduct final : public PackedProduct {
 public:
  DnnlPackedProduct(Context& context, const dnnl::matmul::primitive_desc& descriptor, const Descriptor& plain)
      : context_(&context),
        weight_bytes_(static_cast<int64_t>(whole_lines(descriptor.weights_desc().get_size()))),
        workspace_bytes_(weight_bytes_ + static_cast<int64_t>(whole_lines(descriptor.scratchpad_desc().get_size()))),
        primitive_(descriptor) {
    const auto memory = [&](const Descriptor& desc) { return dnnl::memory(desc, context.dnnl->engine, DNNL_MEMORY_NONE); };
    a_ = memory(descriptor.src_desc());
    plain_ = memory(plain);
    packed_ = memory(descriptor.weights_desc());
    c_ = memory(descriptor.dst_desc());
    scratchpad_ = memory(descriptor.scratchpad_desc());
    reorder_ = dnnl::reorder(plain_, packed_);
  }

  int64_t workspace_bytes() const override { return workspace_bytes_; }
  void bind(std::byte* workspace) override {
    packed_.set_data_handle(workspace);
    scratchpad_.set_data_handle(workspace + weight_bytes_);
  }
  void pack(const float* w) override {
    plain_.set_data_handle(const_cast<float*>(w));  // it is read
    execute(reorder_, {{DNNL_ARG_FROM, plain_.get()}, {DNNL_ARG_TO, packed_.get()}});
  }
  void run(const float* a, float* c) override {
    a_.set_data_handle(const_cast<float*>(a));  // it is read
    c_.set_data_handle(c);
    execute(primitive_, {{DNNL_ARG_SRC, a_.get()}, {DNNL_ARG_WEIGHTS, packed_.get()}, {DNNL_ARG_DST, c_.get()}, {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}});
  }

 private:
  void execute(const dnnl::primitive& primitive, std::initializer_list<dnnl_exec_arg_t> arguments) const {
    const dnnl_status_t status = dnnl_primitive_execute(primitive.get(), context_->dnnl->stream.get(), static_cast<int>(arguments.size()), std::data(arguments));
    CHECK(status == dnnl_success);  // everything was checked when the primitive was made
  }

  Context* context_;
  int64_t weight_bytes_ = 0, workspace_bytes_ = 0;
  dnnl::matmul primitive_;
  dnnl::reorder reorder_;
  dnnl::memory a_, plain_, packed_, c_, scratchpad_;
};

}  // namespace

std::unique_ptr<PackedProduct> PackedProduct::make(Context& context, const Shape& s) {
  // Packing costs what about four products gain; of thin ones reading w is all the work.
  constexpr int64_t kFewest = 8, kThinnest = 8;
  if (context.dnnl == nullptr || s.times < kFewest || s.m < kThinnest || s.n < 1 || s.k < 1) return nullptr;
  constexpr auto kF32 = dnnl::memory::data_type::f32;
  const Descriptor a({s.m, s.k}, kF32, dnnl::memory::dims{s.lda, 1}), c({s.m, s.n}, kF32, dnnl::memory::dims{s.ldc, 1});
  const Descriptor plain({s.k, s.n}, kF32, s.transposed ? dnnl::memory::dims{1, s.k} : dnnl::memory::dims{s.n, 1});
  const Descriptor any({s.k, s.n}, kF32, dnnl::memory::format_tag::any);
  dnnl::primitive_attr attributes = user_scratchpad();
  if (s.adds) {
    dnnl::post_ops post;
    post.append_sum(1);
    attributes.set_post_ops(post);
  }
  const dnnl::matmul::primitive_desc descriptor(dnnl::matmul::desc(a, any, c), attributes, context.dnnl->engine, /*allow_empty=*/true);
  if (descriptor.get(/*allow_empty=*/true) == nullptr || descriptor.weights_desc() == plain) return nullptr;
  return std::make_unique<DnnlPackedProduct>(context, descriptor, plain);
}

}  // namespace engine::cpu
