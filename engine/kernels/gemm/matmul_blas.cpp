// SPDX-License-Identifier: Apache-2.0
// matmul and linear by OpenBLAS split over our threads; matmul_choice.cpp says whose turn it is. Transposed views cost
// nothing.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "engine/base/check.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {
namespace {

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

void gemm(const BlasMatrix& a, const BlasMatrix& b, double beta, std::byte* c, int64_t c_leading, int64_t m, int64_t n,
          int64_t k, DType dtype) {
  const auto trans_a = a.transposed ? CblasTrans : CblasNoTrans, trans_b = b.transposed ? CblasTrans : CblasNoTrans;
  const auto lda = static_cast<blasint>(a.leading), ldb = static_cast<blasint>(b.leading),
             ldc = static_cast<blasint>(c_leading);
  const auto bm = static_cast<blasint>(m), bn = static_cast<blasint>(n), bk = static_cast<blasint>(k);
  if (dtype == DType::float64) {
    cblas_dgemm(CblasRowMajor, trans_a, trans_b, bm, bn, bk, 1.0, reinterpret_cast<const double*>(a.data), lda,
                reinterpret_cast<const double*>(b.data), ldb, beta, reinterpret_cast<double*>(c), ldc);
  } else {
    cblas_sgemm(CblasRowMajor, trans_a, trans_b, bm, bn, bk, 1.0f, reinterpret_cast<const float*>(a.data), lda,
                reinterpret_cast<const float*>(b.data), ldb, static_cast<float>(beta), reinterpret_cast<float*>(c),
                ldc);
  }
}

/// c = a b (+ bias): the longer side of c is split over the threads, each part one single-threaded
/// BLAS call.
class BlasOp final : public PreparedOp {
 public:
  BlasOp(BlasMatrix a, BlasMatrix b, const Tensor& c, int64_t k, const Tensor* bias, int threads)
      : a_(a), b_(b), c_(c), m_(c.shape()[0]), n_(c.shape()[1]), k_(k) {
    if (bias != nullptr) bias_ = *bias;
    const bool small = std::max({m_, n_, k_}) <= kOneThreadUpTo || m_ * n_ < kMultiplyAddGrain / k_;
    threads_ = small ? 1 : threads;
  }

  void run() override {
    const int64_t bytes = size_bytes(c_.dtype()),
                  work = streaming_work(static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_));
    if (m_ >= n_) {
      parallel_parts(threads_, m_, 8, work, [&](int64_t begin, int64_t end) {
        BlasMatrix a = a_;
        a.data += begin * a.row_bytes;
        part(a, b_, c_.data() + begin * n_ * bytes, end - begin, n_, 0);
      });
    } else {
      parallel_parts(threads_, n_, 16, work, [&](int64_t begin, int64_t end) {
        BlasMatrix b = b_;
        b.data += begin * b.column_bytes;
        part(a_, b, c_.data() + begin * bytes, m_, end - begin, begin);
      });
    }
  }
  KernelFacts facts() const override {
    const char* routine = c_.dtype() == DType::float64 ? "dgemm" : "sgemm";
    return {.name = fmt::format("OpenBLAS {}{}", routine, threads_ > 1 ? ", split over threads" : ""),
            .library = KernelLibrary::openblas,
            .unsplit = threads_ <= 1};
  }

 private:
  void part(const BlasMatrix& a, const BlasMatrix& b, std::byte* c, int64_t m, int64_t n, int64_t first_column) const {
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

}  // namespace

std::unique_ptr<PreparedOp> prepare_blas_matmul(Context& context, const PrepareRequest& request) {
  if (!context.openblas) return nullptr;
  const bool linear = request.node.op->name == "linear";
  const auto& in = request.arguments.inputs;
  const Tensor& c = request.arguments.outputs[0];
  if (in[0].shape().size() != 2 || in[1].shape().size() != 2 || !is_contiguous(c.shape(), c.strides())) return nullptr;
  const int64_t m = c.shape()[0], n = c.shape()[1], k = in[0].shape()[1];
  if (in[1].dtype() != c.dtype() || in[0].dtype() != c.dtype() || !blas_takes(c.dtype(), m, n, k)) return nullptr;
  const auto b_tensor = linear ? in[1].transpose(0, 1) : Result<Tensor>(in[1]);
  CHECK(b_tensor.ok());
  const auto a = blas_matrix(in[0]), b = blas_matrix(*b_tensor);
  const Tensor* bias = linear && in.size() > 2 ? &in[2] : nullptr;
  if (!a || !b || (bias != nullptr && !is_contiguous(bias->shape(), bias->strides()))) return nullptr;
  return std::make_unique<BlasOp>(*a, *b, c, k, bias, context.threads);
}

}  // namespace engine::cpu
