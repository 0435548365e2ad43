// SPDX-License-Identifier: Apache-2.0
// attention and attention_grad by the loops of attention_loops.h, split over threads by heads and blocks of queries.
// Products forward are our own, on keys packed once per head; those of few queries and of the gradient are whoever's
// products.h finds. One query per head (a step of generation) streams once over keys and values.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <type_traits>

#include "engine/kernels/attention/attention-inl.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/gemm/products.h"

namespace engine::cpu {
namespace {

/// The products of a block, a's neighbours along its rows.
template <class T>
struct BlockProducts {
  const Products<T>& products;
  void operator()(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const Rows<const T>& a,
                  const Rows<const T>& b, bool add, const Rows<T>& c) const {
    const ProductOperand<T> of_b{b.data, b.stride, tb};
    const T beta = add ? T{1} : T{0};
    if (m == 1 && !ta) return products.vector_times_matrix(n, k, static_cast<T>(alpha), a.data, of_b, beta, c.data);
    products.run(m, n, k, static_cast<T>(alpha), {a.data, a.stride, ta}, of_b, beta, c.data, c.stride);
  }
};

/// What both ops are computed from.
struct Problem {
  Tensor q, k, v, mask;  ///< mask: perhaps undefined
  loops::AttentionShape shape;
  double scale;
  Strides mask_strides = {0, 0, 0, 0};

  int64_t work() const { return shape.batch * shape.heads * shape.queries * shape.keys * shape.features; }
  AttentionMask attention_mask() const {
    if (!mask.defined()) return {};
    return {mask.data(),
            mask.dtype() == DType::boolean,
            {mask_strides[0], mask_strides[1], mask_strides[2], mask_strides[3]}};
  }
};

/// Of a [B, H, rows, columns] tensor.
template <class T>
Heads<T> heads_of(const Tensor& t) {
  return {t.data_as<T>(), t.strides()[0], t.strides()[1],
          t.shape()[2] == 1 ? std::max<int64_t>(t.shape()[3], 1) : t.strides()[2]};
}

bool has_rows(const Tensor& t) {
  const Shape& shape = t.shape();
  return (shape[3] == 1 || t.strides()[3] == 1) && (shape[2] == 1 || t.strides()[2] >= shape[3]) &&
         std::max({shape[2], shape[3], t.strides()[2]}) <= INT32_MAX;
}

loops::AttentionShape shape_of(const Shape& q, const Shape& k, const Shape& v) {
  return {.batch = q[0],
          .heads = q[1],
          .kv_heads = k[1],
          .queries = q[2],
          .keys = k[2],
          .features = q[3],
          .value_features = v[3]};
}

/// The problem of q, k, v at inputs `first` and a mask perhaps at `mask`; false: not for these kernels.
bool make_problem(const PrepareRequest& request, size_t first, size_t mask, Problem& p) {
  const auto& in = request.arguments.inputs;
  p.q = in[first];
  p.k = in[first + 1];
  p.v = in[first + 2];
  const DType dtype = p.q.dtype();
  if (dtype != DType::float32 && (dtype != DType::float64 || row_loops_f64().softmax == nullptr)) return false;
  for (const Tensor* t : {&p.q, &p.k, &p.v}) {
    if (!has_rows(*t)) return false;
  }
  p.shape = shape_of(p.q.shape(), p.k.shape(), p.v.shape());
  p.scale = loops::attention_scale(request.node.attributes.get_double("scale", 0), p.shape.features);
  p.shape.causal = request.node.attributes.get_int("causal", 0) != 0;
  if (in.size() <= mask) return true;
  const Result<Tensor> expanded = in[mask].expand({p.shape.batch, p.shape.heads, p.shape.queries, p.shape.keys});
  if (!expanded) return false;
  p.mask = *expanded;
  p.mask_strides = p.mask.strides();
  p.shape.masked = true;
  return true;
}

template <class T>
RowLoops<T> loops_of() {
  if constexpr (std::is_same_v<T, float>) return row_loops_f32();
  else return row_loops_f64();
}

/// With the panels of keys that are packed for our products.
template <class T>
loops::AttentionShape with_panels(loops::AttentionShape shape) {
  const GemmLoops<T> loops = gemm_loops_of<T>();
  if (shape.queries >= loops::kFewestQueriesToPack && loops.multiply != nullptr) shape.panel = loops.tile_columns;
  return shape;
}
template <class T>
loops::AttentionScratch scratch_of(const loops::AttentionShape& shape) {
  return loops::attention_scratch(shape, gemm_loops_of<T>().workspace_elements);
}

/// `products`: who computes them, as it is shown; `library`: the first that is not ours; `own_gemm`: ours does some.
KernelFacts facts_of(const Node& node, std::string_view products, KernelLibrary library, bool own_gemm) {
  return {.name = fmt::format("own {} ({}, {})", node.op->name, products, vector_unit()),
          .library = library,
          .own_gemm = own_gemm};
}

template <class T>
KernelFacts forward_facts(const Node& node, const loops::AttentionShape& shape, const Products<T>& products) {
  if (shape.panel > 0) return facts_of(node, "own gemm", KernelLibrary::own, true);
  const KernelLibrary library = shape.queries == 1 ? products.vector_library() : products.library();
  return facts_of(node, shape.queries == 1 ? products.vector_name() : products.name(), library,
                  library == KernelLibrary::own);
}

/// A last block of one query makes vectors of some products.
template <class T>
KernelFacts gradient_facts(const Node& node, const loops::AttentionShape& shape, const Products<T>& products) {
  const std::string_view all = products.name(), vectors = products.vector_name();
  const KernelLibrary library = products.library(), of_vectors = products.vector_library();
  if (shape.queries % loops::kQueryBlock != 1 || all == vectors)
    return facts_of(node, all, library, library == KernelLibrary::own);
  return facts_of(node, fmt::format("{}, {}", all, vectors), library == KernelLibrary::own ? of_vectors : library,
                  library == KernelLibrary::own || of_vectors == KernelLibrary::own);
}

template <class T>
class AttentionOp final : public PreparedOp {
 public:
  AttentionOp(const Context& context, const PrepareRequest& request, const Problem& problem)
      : shape_(with_panels<T>(problem.shape)),
        scale_(problem.scale),
        work_(problem.work()),
        scratch_(reinterpret_cast<T*>(request.workspace)),
        threads_(context.threads),
        products_(context, /*shared=*/false),
        places_(scratch_of<T>(shape_)),
        facts_(forward_facts(request.node, shape_, products_)) {
    const Tensor &y = request.arguments.outputs[0], &sums = request.arguments.outputs[1];
    arguments_ = {heads_of<const T>(problem.q),
                  heads_of<const T>(problem.k),
                  heads_of<const T>(problem.v),
                  problem.attention_mask(),
                  heads_of<T>(y),
                  sums.data(),
                  sums.dtype() == DType::float64};
    tensors_ = request.arguments;
    if (shape_.panel == 0)
      products_.bind(reinterpret_cast<std::byte*>(scratch_ + threads_ * places_.all),
                     loops::attention_products(shape_));
  }

  void run() override {
    const CallingThreads as_made(threads_);
    parallel_parts(
        threads_, shape_.batch * shape_.heads * shape_.query_blocks(), 1, work_, [&](int64_t begin, int64_t end) {
          const BlockProducts<T> products{products_};
          AttentionParts<T, ScalarMemory, BlockProducts<T>> parts(shape_, scale_, arguments_, lines_, gemm_, products,
                                                                  places_, scratch_ + team_member() * places_.all);
          loops::attention(shape_, {begin, end}, parts);
        });
  }
  KernelFacts facts() const override { return facts_; }

 private:
  loops::AttentionShape shape_;
  double scale_;
  int64_t work_;
  KernelArguments tensors_;  ///< that they stay
  AttentionArguments<T> arguments_;
  T* scratch_;
  int threads_;
  Products<T> products_;
  loops::AttentionScratch places_;
  KernelFacts facts_;
  RowLoops<T> lines_ = loops_of<T>();
  GemmLoops<T> gemm_ = gemm_loops_of<T>();
};

template <class T>
class AttentionGradOp final : public PreparedOp {
 public:
  AttentionGradOp(const Context& context, const PrepareRequest& request, const Problem& problem)
      : shape_(problem.shape),
        scale_(problem.scale),
        work_(problem.work()),
        tensors_(request.arguments),
        scratch_(reinterpret_cast<T*>(request.workspace)),
        threads_(context.threads),
        products_(context, /*shared=*/false),
        facts_(gradient_facts(request.node, shape_, products_)) {
    const auto &in = tensors_.inputs, &out = tensors_.outputs;
    const Strides& s = in[5].strides();
    arguments_ = {heads_of<const T>(problem.q),
                  heads_of<const T>(problem.k),
                  heads_of<const T>(problem.v),
                  problem.attention_mask(),
                  heads_of<const T>(in[0]),
                  heads_of<const T>(in[4]),
                  heads_of<T>(out[0]),
                  heads_of<T>(out[1]),
                  heads_of<T>(out[2]),
                  in[5].data(),
                  in[5].dtype() == DType::float64,
                  {s[0], s[1], s[2]}};
    products_.bind(reinterpret_cast<std::byte*>(scratch_ + threads_ * loops::kAttentionGradientScratch),
                   loops::attention_gradient_products(shape_));
  }

  /// Heads of keys are split over the threads.
  void run() override {
    const CallingThreads as_made(threads_);
    parallel_parts(threads_, shape_.batch * shape_.kv_heads, 1, work_, [&](int64_t begin, int64_t end) {
      const BlockProducts<T> products{products_};
      AttentionGradientParts<T, ScalarMemory, BlockProducts<T>> parts(
          shape_, scale_, arguments_, lines_, products, scratch_ + team_member() * loops::kAttentionGradientScratch);
      loops::attention_gradient(shape_, {begin, end}, parts);
    });
  }
  KernelFacts facts() const override { return facts_; }

 private:
  loops::AttentionShape shape_;
  double scale_;
  int64_t work_;
  KernelArguments tensors_;  ///< that they stay
  AttentionGradientArguments<T> arguments_;
  T* scratch_;
  int threads_;
  Products<T> products_;
  KernelFacts facts_;
  RowLoops<T> lines_ = loops_of<T>();
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> make(const Context& context, const PrepareRequest& request, const Problem& problem) {
  if (problem.q.dtype() == DType::float32) return std::make_unique<Op<float>>(context, request, problem);
  return std::make_unique<Op<double>>(context, request, problem);
}

std::unique_ptr<PreparedOp> prepare_attention(Context& context, const PrepareRequest& request) {
  Problem p;
  if (!make_problem(request, 0, 3, p) || !has_rows(request.arguments.outputs[0])) return nullptr;
  return make<AttentionOp>(context, request, p);
}

std::unique_ptr<PreparedOp> prepare_attention_grad(Context& context, const PrepareRequest& request) {
  Problem p;
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  if (out.size() > 3 || !make_problem(request, 1, 6, p)) return nullptr;
  for (const Tensor* t : {&in[0], &in[4], &out[0], &out[1], &out[2]}) {
    if (!has_rows(*t)) return nullptr;
  }
  return make<AttentionGradOp>(context, request, p);
}

template <class T>
int64_t forward_bytes(Context& context, const Call& call) {
  const loops::AttentionShape shape =
      with_panels<T>(shape_of(call.inputs[0].shape, call.inputs[1].shape, call.inputs[2].shape));
  const int64_t products =
      shape.panel > 0 ? 0 : Products<T>(context, /*shared=*/false).workspace_bytes(loops::attention_products(shape));
  return context.threads * scratch_of<T>(shape).all * static_cast<int64_t>(sizeof(T)) + products;
}

/// Both for f64 and, as the kernels of 16-bit floats need it too, for f32.
int64_t forward_workspace(Context& context, const Node& /*node*/, const Call& call) {
  return call.outputs[0].dtype == DType::float64 ? forward_bytes<double>(context, call)
                                                 : forward_bytes<float>(context, call);
}

template <class T>
int64_t gradient_bytes(Context& context, const Call& call) {
  const loops::AttentionShape shape = shape_of(call.inputs[1].shape, call.inputs[2].shape, call.inputs[3].shape);
  return context.threads * loops::kAttentionGradientScratch * static_cast<int64_t>(sizeof(T)) +
         Products<T>(context, /*shared=*/false).workspace_bytes(loops::attention_gradient_products(shape));
}

int64_t gradient_workspace(Context& context, const Node& /*node*/, const Call& call) {
  return call.outputs[0].dtype == DType::float64 ? gradient_bytes<double>(context, call)
                                                 : gradient_bytes<float>(context, call);
}

}  // namespace

std::span<const Kernel> attention_kernels() {
  static constexpr Kernel kKernels[] = {
      {"attention", prepare_attention, forward_workspace},
      {"attention_grad", prepare_attention_grad, gradient_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
