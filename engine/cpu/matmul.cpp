// SPDX-License-Identifier: Apache-2.0
// matmul and linear by oneDNN, and by OpenBLAS split over our threads; matmul_choice.cpp says whose turn it is. Transposed
// views cost nothing.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "engine/base/check.h"
#include "engine/cpu/dnnl_support.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"

namespace engine::cpu {
namespace {

// ---- OpenBLAS ----

/// Up to this side a product is computed on one thread.
constexpr int64_t kOneThreadUpTo = 64;

/// A matrix as BLAS sees it: row-major with a leading dimension, perhaps transposed.
struct BlasMatrix {
  const std::byte* data = nullptr;
  bool transposed = false;
  int64_t leading = 0;
  int64_t row_bytes = 0, column_bytes = 0;  ///< to the next row and column of the logical matrix
};

/// Nothing when neither axis has neighbours side by side.
std::optional<BlasMatrix> blas_matrix(const Tensor& t) {
  const size_t r = t.shape().size() - 2;
  const int64_t rows = t.shape()[r], columns = t.shape()[r + 1], bytes = size_bytes(t.dtype());
  int64_t to_row = t.strides()[r], to_column = t.strides()[r + 1];
  if (columns == 1) to_column = 1;
  if (rows == 1) to_row = std::max<int64_t>(columns, 1);
  BlasMatrix m{.data = t.data(), .row_bytes = to_row * bytes, .column_bytes = to_column * bytes};
  if (to_column == 1 && to_row >= columns) {
    m.leading = to_row;
  } else if (to_row == 1 && to_column >= rows) {
    m.transposed = true;
    m.leading = to_column;
  } else {
    return std::nullopt;
  }
  return m.leading <= INT32_MAX ? std::optional(m) : std::nullopt;
}

void gemm(const BlasMatrix& a, const BlasMatrix& b, double beta, std::byte* c, int64_t c_leading,
          int64_t m, int64_t n, int64_t k, DType dtype) {
  const auto trans_a = a.transposed ? CblasTrans : CblasNoTrans,
             trans_b = b.transposed ? CblasTrans : CblasNoTrans;
  const auto lda = static_cast<blasint>(a.leading), ldb = static_cast<blasint>(b.leading),
             ldc = static_cast<blasint>(c_leading);
  const auto bm = static_cast<blasint>(m), bn = static_cast<blasint>(n),
             bk = static_cast<blasint>(k);
  if (dtype == DType::float64) {
    cblas_dgemm(
        CblasRowMajor, trans_a, trans_b, bm, bn, bk, 1.0, reinterpret_cast<const double*>(a.data),
        lda, reinterpret_cast<const double*>(b.data), ldb, beta, reinterpret_cast<double*>(c), ldc);
  } else {
    cblas_sgemm(CblasRowMajor, trans_a, trans_b, bm, bn, bk, 1.0f,
                reinterpret_cast<const float*>(a.data), lda, reinterpret_cast<const float*>(b.data),
                ldb, static_cast<float>(beta), reinterpret_cast<float*>(c), ldc);
  }
}

/// c = a b (+ bias): the longer side of c is split over the threads, each part one single-threaded
/// BLAS call.
class BlasOp final : public PreparedOp {
 public:
  BlasOp(BlasMatrix a, BlasMatrix b, const Tensor& c, int64_t k, const Tensor* bias, int threads)
      : a_(a), b_(b), c_(c), m_(c.shape()[0]), n_(c.shape()[1]), k_(k) {
    if (bias != nullptr) bias_ = *bias;
    const bool small =
        std::max({m_, n_, k_}) <= kOneThreadUpTo || m_ * n_ < kMultiplyAddGrain / k_;
    threads_ = small ? 1 : threads;
  }

  void run() override {
    const int64_t bytes = size_bytes(c_.dtype());
    if (m_ >= n_) {
      parallel_parts(threads_, m_, 8, kStreamingGrain, [&](int64_t begin, int64_t end) {
        BlasMatrix a = a_;
        a.data += begin * a.row_bytes;
        part(a, b_, c_.data() + begin * n_ * bytes, end - begin, n_, 0);
      });
    } else {
      parallel_parts(threads_, n_, 16, kStreamingGrain, [&](int64_t begin, int64_t end) {
        BlasMatrix b = b_;
        b.data += begin * b.column_bytes;
        part(a_, b, c_.data() + begin * bytes, m_, end - begin, begin);
      });
    }
  }
  std::string kernel_name() const override {
    const char* routine = c_.dtype() == DType::float64 ? "dgemm" : "sgemm";
    return fmt::format("OpenBLAS {}{}", routine, threads_ > 1 ? ", split over threads" : "");
  }

 private:
  void part(const BlasMatrix& a, const BlasMatrix& b, std::byte* c, int64_t m, int64_t n,
            int64_t first_column) const {
    if (bias_.defined()) {
      const int64_t bytes = size_bytes(c_.dtype());
      for (int64_t row = 0; row < m; ++row) {
        std::copy_n(bias_.data() + first_column * bytes, n * bytes, c + row * n_ * bytes);
      }
    }
    gemm(a, b, bias_.defined() ? 1.0 : 0.0, c, n_, m, n, k_, c_.dtype());
  }

  BlasMatrix a_, b_;
  Tensor c_, bias_;
  int64_t m_, n_, k_;
  int threads_ = 1;
};

bool blas_takes(DType dtype, int64_t m, int64_t n, int64_t k) {
  return std::max({m, n, k}) <= INT32_MAX && (dtype == DType::float32 || dtype == DType::float64);
}

// ---- oneDNN ----

using Descriptor = dnnl::memory::desc;

struct MatmulProblem {
  Descriptor a, b, c;
  std::optional<Descriptor> bias;
};

/// `type` with leading axes of extent 1 up to `rank`; axes repeated with stride 0 become extent 1
/// (oneDNN broadcasts them).
std::optional<Descriptor> batched_desc(TensorType type, size_t rank) {
  while (type.shape.size() < rank) {
    type.shape.insert(type.shape.begin(), 1);
    type.strides.insert(type.strides.begin(), 1);
  }
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    if (type.strides[axis] == 0) type.shape[axis] = 1;
  }
  return strided_desc(type);
}

std::optional<MatmulProblem> matmul_problem(const Call& call) {
  const size_t rank = call.outputs[0].shape.size();
  const auto a = batched_desc(call.inputs[0], rank), b = batched_desc(call.inputs[1], rank),
             c = strided_desc(call.outputs[0]);
  if (!a || !b || !c) return std::nullopt;
  for (size_t axis = 0; axis + 2 < rank;
       ++axis) {  // both operands repeated along one axis: the reference's case
    if (std::max(a->dims()[axis], b->dims()[axis]) != c->dims()[axis]) return std::nullopt;
  }
  return MatmulProblem{.a = *a, .b = *b, .c = *c, .bias = std::nullopt};
}

/// linear: y = x weight^T + bias, the weight seen through swapped strides.
std::optional<MatmulProblem> linear_problem(const Call& call) {
  TensorType transposed = call.inputs[1];
  std::swap(transposed.shape[0], transposed.shape[1]);
  std::swap(transposed.strides[0], transposed.strides[1]);
  const auto a = strided_desc(call.inputs[0]), b = strided_desc(transposed),
             c = strided_desc(call.outputs[0]);
  if (!a || !b || !c) return std::nullopt;
  MatmulProblem p{.a = *a, .b = *b, .c = *c, .bias = std::nullopt};
  if (call.inputs.size() > 2) {
    if (!is_contiguous(call.inputs[2].shape, call.inputs[2].strides)) return std::nullopt;
    p.bias = Descriptor({1, call.inputs[2].shape[0]}, a->data_type(),
                        dnnl::memory::format_tag::ab);
  }
  return p;
}

std::optional<MatmulProblem> problem_of(const Node& node, const Call& call) {
  return node.op->name == "linear" ? linear_problem(call) : matmul_problem(call);
}

dnnl::matmul::primitive_desc matmul_desc(Context& context, const MatmulProblem& p,
                                         const Descriptor& b) {
  const auto desc =
      p.bias ? dnnl::matmul::desc(p.a, b, *p.bias, p.c) : dnnl::matmul::desc(p.a, b, p.c);
  return {desc, user_scratchpad(), context.dnnl_engine};
}

class MatmulOp final : public PreparedOp {
 public:
  MatmulOp(BoundPrimitive primitive, std::string name)
      : primitive_(std::move(primitive)), name_(std::move(name)) {}

  /// Packs the constant right-hand side on the first run, when its bytes are surely there.
  void pack_once(BoundPrimitive reorder, std::shared_ptr<Storage> packed) {
    pack_ = std::move(reorder);
    packed_ = std::move(packed);
  }
  void run() override {
    if (pack_) {
      pack_->run();
      pack_.reset();
    }
    primitive_.run();
  }
  std::string kernel_name() const override { return name_; }

 private:
  BoundPrimitive primitive_;
  std::optional<BoundPrimitive> pack_;
  std::shared_ptr<Storage> packed_;
  std::string name_;
};

Call call_of(const PrepareRequest& request, std::vector<TensorType>& inputs,
             std::vector<TensorType>& outputs) {
  for (const Tensor& t : request.arguments.inputs) inputs.push_back(t.type());
  for (const Tensor& t : request.arguments.outputs) outputs.push_back(t.type());
  return {request.node.attributes, inputs, outputs};
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_blas_matmul(Context& context, const PrepareRequest& request) {
  const bool linear = request.node.op->name == "linear";
  const auto& in = request.arguments.inputs;
  const Tensor& c = request.arguments.outputs[0];
  if (in[0].shape().size() != 2 || in[1].shape().size() != 2 ||
      !is_contiguous(c.shape(), c.strides()))
    return nullptr;
  const int64_t m = c.shape()[0], n = c.shape()[1], k = in[0].shape()[1];
  if (in[1].dtype() != c.dtype() || in[0].dtype() != c.dtype() || !blas_takes(c.dtype(), m, n, k))
    return nullptr;
  const auto b_tensor = linear ? in[1].transpose(0, 1) : Result<Tensor>(in[1]);
  CHECK(b_tensor.ok());
  const auto a = blas_matrix(in[0]), b = blas_matrix(*b_tensor);
  const Tensor* bias = linear && in.size() > 2 ? &in[2] : nullptr;
  if (!a || !b || (bias != nullptr && !is_contiguous(bias->shape(), bias->strides())))
    return nullptr;
  return std::make_unique<BlasOp>(*a, *b, c, k, bias, context.threads);
}

int64_t dnnl_matmul_workspace(Context& context, const Node& node, const Call& call) {
  const auto p = problem_of(node, call);
  if (!p) return 0;
  int64_t bytes = static_cast<int64_t>(matmul_desc(context, *p, p->b).scratchpad_desc().get_size());
  const Descriptor any(p->b.dims(), p->b.data_type(), dnnl::memory::format_tag::any);
  return std::max(bytes,
                  static_cast<int64_t>(matmul_desc(context, *p, any).scratchpad_desc().get_size()));
}

std::unique_ptr<PreparedOp> prepare_dnnl_matmul(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> inputs, outputs;
  const auto p = problem_of(request.node, call_of(request, inputs, outputs));
  if (!p) return nullptr;
  const bool packs = request.inputs_constant.size() > 1 && request.inputs_constant[1];
  const auto& in = request.arguments.inputs;
  const auto pd = matmul_desc(
      context, *p,
      packs ? Descriptor(p->b.dims(), p->b.data_type(), dnnl::memory::format_tag::any)
            : p->b);
  // oneDNN's plain loops are slower than its f32 kernels between two conversions.
  if (in[0].dtype() == DType::bfloat16 && std::string_view(pd.impl_info_str()).starts_with("ref")) return nullptr;
  const Descriptor packed = pd.weights_desc();
  void* b_data = in[1].data();
  std::shared_ptr<Storage> storage;
  if (packed != p->b) {
    auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size()));
    if (!own) throw std::bad_alloc();
    storage = *own;
    b_data = storage->data();
  }
  std::vector<std::pair<int, dnnl::memory>> arguments = {
      {DNNL_ARG_SRC, {p->a, context.dnnl_engine, in[0].data()}},
      {DNNL_ARG_WEIGHTS, {packed, context.dnnl_engine, b_data}},
      {DNNL_ARG_DST, {p->c, context.dnnl_engine, request.arguments.outputs[0].data()}},
      {DNNL_ARG_SCRATCHPAD, {pd.scratchpad_desc(), context.dnnl_engine, request.workspace}}};
  if (p->bias) arguments.push_back({DNNL_ARG_BIAS, {*p->bias, context.dnnl_engine, in[2].data()}});
  auto op =
      std::make_unique<MatmulOp>(BoundPrimitive(context, dnnl::matmul(pd), std::move(arguments)),
                                 shown_dnnl_kernel(pd.impl_info_str(), in[0].dtype()));
  if (auto reorder = bind_reorder(context, p->b, in[1].data(), packed, b_data))
    op->pack_once(std::move(*reorder), std::move(storage));
  return op;
}

}  // namespace engine::cpu
