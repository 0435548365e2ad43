// SPDX-License-Identifier: Apache-2.0
// Products of recurrent layers with weights packed once for all steps, by oneDNN's matmul: blocks of columns, each a
// primitive of one thread, which our team shares. oneDNN's own teams would have all their threads be there for every
// step, however short it is.
#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "engine/base/check.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/onednn/dnnl_support.h"
#include "engine/kernels/recurrent/recurrent.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;

/// Columns [begin, begin + count) of the result.
struct Block {
  int64_t begin = 0, count = 0;
  dnnl::matmul::primitive_desc primitive;
  Descriptor plain;  ///< of its weights
};

void execute(const dnnl::primitive& primitive, const dnnl::stream& stream,
             std::initializer_list<dnnl_exec_arg_t> arguments) {
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), std::data(arguments));
  CHECK(status == dnnl_success);  // everything was checked when the primitive was made
}

/// A block ready to run; each on a stream of its own, as several run at once.
class BlockProduct {
 public:
  BlockProduct(Context& context, const Block& block)
      : begin_(block.begin),
        weight_bytes_(static_cast<int64_t>(whole_lines(block.primitive.weights_desc().get_size()))),
        workspace_bytes_(weight_bytes_ +
                         static_cast<int64_t>(whole_lines(block.primitive.scratchpad_desc().get_size()))),
        stream_(context.dnnl->engine),
        primitive_(block.primitive) {
    const auto memory = [&](const Descriptor& desc) {
      return dnnl::memory(desc, context.dnnl->engine, DNNL_MEMORY_NONE);
    };
    a_ = memory(block.primitive.src_desc());
    plain_ = memory(block.plain);
    packed_ = memory(block.primitive.weights_desc());
    c_ = memory(block.primitive.dst_desc());
    scratchpad_ = memory(block.primitive.scratchpad_desc());
    reorder_ = dnnl::reorder(plain_, packed_);
  }

  int64_t begin() const { return begin_; }
  int64_t workspace_bytes() const { return workspace_bytes_; }
  void bind(std::byte* workspace) {
    packed_.set_data_handle(workspace);
    scratchpad_.set_data_handle(workspace + weight_bytes_);
  }
  /// `w`, `c`: where the block's first column begins.
  void pack(const float* w) {
    plain_.set_data_handle(const_cast<float*>(w));  // it is read
    execute(reorder_, stream_, {{DNNL_ARG_FROM, plain_.get()}, {DNNL_ARG_TO, packed_.get()}});
  }
  void run(const float* a, float* c) {
    a_.set_data_handle(const_cast<float*>(a));  // it is read
    c_.set_data_handle(c);
    execute(primitive_, stream_,
            {{DNNL_ARG_SRC, a_.get()},
             {DNNL_ARG_WEIGHTS, packed_.get()},
             {DNNL_ARG_DST, c_.get()},
             {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}});
  }

 private:
  int64_t begin_, weight_bytes_, workspace_bytes_;
  dnnl::stream stream_;
  dnnl::matmul primitive_;
  dnnl::reorder reorder_;
  dnnl::memory a_, plain_, packed_, c_, scratchpad_;
};

class DnnlPackedProduct final : public PackedProduct {
 public:
  DnnlPackedProduct(Context& context, const Shape& shape, const std::vector<Block>& blocks)
      : shape_(shape), threads_(context.threads) {
    for (const Block& block : blocks) blocks_.emplace_back(context, block);
  }

  int64_t workspace_bytes() const override {
    int64_t bytes = 0;
    for (const BlockProduct& block : blocks_) bytes += block.workspace_bytes();
    return bytes;
  }
  void bind(std::byte* workspace) override {
    for (BlockProduct& block : blocks_) {
      block.bind(workspace);
      workspace += block.workspace_bytes();
    }
  }
  void pack(const float* w) override {
    each(shape_.n * shape_.k,
         [&](BlockProduct& block) { block.pack(w + block.begin() * (shape_.transposed ? shape_.k : 1)); });
  }
  void run(const float* a, float* c) override {
    each(streaming_work(static_cast<double>(shape_.m) * static_cast<double>(shape_.n) * static_cast<double>(shape_.k)),
         [&](BlockProduct& block) { block.run(a, c + block.begin()); });
  }

 private:
  template <class Body>
  void each(int64_t work, const Body& body) {
    const CallingThreads one(1);
    parallel_for(threads_, static_cast<int64_t>(blocks_.size()), work, [&](int64_t i) {
      set_calling_thread_count(1);  // of whoever does it
      body(blocks_[static_cast<size_t>(i)]);
    });
  }

  Shape shape_;
  int threads_;
  std::vector<BlockProduct> blocks_;
};

/// As many as there are threads, while each has work enough and is wide enough for oneDNN's kernels.
int64_t count_of_blocks(int threads, const PackedProduct::Shape& s) {
  constexpr int64_t kNarrowest = 64;
  const double paid =
      static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) / (kMultiplyAddGrain / 2.0);
  return std::clamp<int64_t>(static_cast<int64_t>(std::min(paid, 1e6)), 1,
                             std::max<int64_t>(1, std::min<int64_t>(threads, s.n / kNarrowest)));
}

}  // namespace

std::unique_ptr<PackedProduct> PackedProduct::make(Context& context, const Shape& s) {
  // Packing costs what about four products gain; of thin ones reading w is all the work.
  constexpr int64_t kFewest = 8, kThinnest = 8, kColumns = 16;
  if (context.dnnl == nullptr || s.times < kFewest || s.m < kThinnest || s.n < 1 || s.k < 1) return nullptr;
  constexpr auto kF32 = dnnl::memory::data_type::f32;
  const CallingThreads one(1);
  dnnl::primitive_attr attributes = user_scratchpad();
  if (s.adds) {
    dnnl::post_ops post;
    post.append_sum(1);
    attributes.set_post_ops(post);
  }
  std::vector<Block> blocks;
  const int64_t count = count_of_blocks(context.threads, s);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = s.n * i / count / kColumns * kColumns,
                  end = i + 1 == count ? s.n : s.n * (i + 1) / count / kColumns * kColumns, n = end - begin;
    const Descriptor a({s.m, s.k}, kF32, dnnl::memory::dims{s.lda, 1}), c({s.m, n}, kF32, dnnl::memory::dims{s.ldc, 1});
    const Descriptor plain({s.k, n}, kF32, s.transposed ? dnnl::memory::dims{1, s.k} : dnnl::memory::dims{s.n, 1});
    const Descriptor any({s.k, n}, kF32, dnnl::memory::format_tag::any);
    const dnnl::matmul::primitive_desc descriptor(dnnl::matmul::desc(a, any, c), attributes, context.dnnl->engine,
                                                  /*allow_empty=*/true);
    if (descriptor.get(/*allow_empty=*/true) == nullptr || is_plain_loop(descriptor.impl_info_str()) ||
        descriptor.weights_desc() == plain)
      return nullptr;
    blocks.push_back({begin, n, descriptor, plain});
  }
  return std::make_unique<DnnlPackedProduct>(context, s, blocks);
}

}  // namespace engine::cpu
