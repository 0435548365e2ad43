// SPDX-License-Identifier: Apache-2.0
// matmul and linear by own loops: any strides, batches, f32 and f64; vectors times matrices in one pass.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string>

#include "engine/base/check.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/gemm/gemm_loops.h"
#include "engine/kernels/gemm/gemm_simd.h"

namespace engine::cpu {
namespace {

/// One product of matrices, or many of the same shape: matrix q of an operand begins at offsets[q] of its first
/// element.
template <class T>
struct Batch {
  GemmProblem<T> first;
  std::vector<int64_t> a_offset, b_offset;  ///< elements, one per product; c's lie side by side
  bool vector = false;                      ///< m = 1
};

template <class T>
class OwnMatmul final : public PreparedOp {
 public:
  /// `own`: what `workspace` is, where it is not the plan's.
  OwnMatmul(Batch<T> batch, T* workspace, int64_t workspace_each, int threads, std::shared_ptr<Storage> own)
      : batch_(std::move(batch)),
        loops_(gemm_loops_of<T>()),
        workspace_(workspace),
        own_(std::move(own)),
        workspace_each_(workspace_each),
        threads_(threads) {
    const GemmProblem<T>& p = batch_.first;
    const double each = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k),
                 all = each * static_cast<double>(products());
    if (all < static_cast<double>(kMultiplyAddGrain)) threads_ = 1;
    work_ = streaming_work(all);
    work_each_ = std::max(streaming_work(each), kStreamingGrain);
    by_product_ = products() >= threads_;
  }

  void run() override {
    if (by_product_) {
      parallel_parts(threads_, products(), 1, work_, [&](int64_t begin, int64_t end) {
        for (int64_t q = begin; q < end; ++q) part(q, 0, batch_.first.m, 0, batch_.first.n);
      });
      return;
    }
    for (int64_t q = 0; q < products(); ++q) split(q);
  }
  /// One thread computes vectors whose products are not split; small matrices of a batch are shared whole.
  KernelFacts facts() const override {
    return {.name = fmt::format("own {} ({}{})", batch_.vector ? "gemv" : "gemm", vector_unit(),
                                threads_ > 1 ? ", split over threads" : ""),
            .own_gemm = !batch_.vector,
            .unsplit = batch_.vector && threads_ <= 1};
  }

 private:
  int64_t products() const { return static_cast<int64_t>(batch_.a_offset.size()); }

  /// One product, its longer side split over the threads.
  void split(int64_t q) {
    const GemmProblem<T>& p = batch_.first;
    if (p.m >= p.n) {
      parallel_parts(threads_, p.m, loops_.tile_rows, work_each_,
                     [&](int64_t begin, int64_t end) { part(q, begin, end - begin, 0, p.n); });
    } else {
      parallel_parts(threads_, p.n, loops_.tile_columns, work_each_,
                     [&](int64_t begin, int64_t end) { part(q, 0, p.m, begin, end - begin); });
    }
  }

  void part(int64_t q, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    GemmProblem<T> p = batch_.first;
    const auto at = static_cast<size_t>(q);
    p.a.data += batch_.a_offset[at] + row * p.a.row;
    p.b.data += batch_.b_offset[at] + column * p.b.column;
    p.c += q * p.m * p.c_row + row * p.c_row + column;
    if (p.bias != nullptr) p.bias += column;
    p.m = rows;
    p.n = columns;
    T* const scratch = workspace_ + workspace_each_ * team_member();
    if (batch_.vector) {
      loops_.vector_times_matrix(p, scratch);
    } else {
      loops_.multiply(p, scratch);
    }
  }

  Batch<T> batch_;
  GemmLoops<T> loops_;
  T* workspace_;
  std::shared_ptr<Storage> own_;
  int64_t workspace_each_;
  int threads_;
  int64_t work_ = 0, work_each_ = 0;  ///< of all products, of one
  bool by_product_ = true;
};

template <class T>
GemmMatrix<T> matrix(const Tensor& t) {
  const size_t r = t.shape().size() - 2;
  return {t.data_as<T>(), t.strides()[r], t.strides()[r + 1]};
}

/// Where each product of a batch begins in `t`, whose leading axes broadcast to those of `shape`.
std::vector<int64_t> batch_offsets(const Tensor& t, const Shape& shape) {
  std::vector<int64_t> offsets{0};
  const size_t leading = shape.size() - 2, missing = shape.size() - t.shape().size();
  for (size_t axis = 0; axis < leading; ++axis) {
    const bool repeated = axis < missing || t.shape()[axis - missing] == 1;
    const int64_t stride = repeated ? 0 : t.strides()[axis - missing];
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(shape[axis]));
    for (const int64_t offset : offsets)
      for (int64_t i = 0; i < shape[axis]; ++i) next.push_back(offset + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

/// Elements of scratch per thread: packed panels, or the vector in one piece.
template <class T>
int64_t workspace_each(int64_t m, int64_t n, int64_t k) {
  const int64_t elements = m == 1 ? k : std::max(k, gemm_loops_of<T>().workspace_elements(m, n, k));
  return (elements + 15) / 16 * 16;
}

/// Repeated axes have no bytes, so that absurdly long ones get this far: they are left to be refused.
bool sane(const Shape& c, int64_t k) {
  constexpr int64_t kLongest = int64_t{1} << 31, kMostProducts = int64_t{1} << 24;
  const int64_t m = c[c.size() - 2], n = c.back();
  if (std::max({m, n, k}) > kLongest) return false;
  const auto elements = element_count(c);
  return elements.has_value() && *elements / (m * n) <= kMostProducts;
}

template <class T>
std::unique_ptr<PreparedOp> prepare(int threads, const PrepareRequest& request, bool any_strides) {
  if (gemm_loops_of<T>().multiply == nullptr) return nullptr;
  if (!sane(request.arguments.outputs[0].shape(), request.arguments.inputs[0].shape().back())) return nullptr;
  const bool linear = request.node.op->name == "linear";
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const Tensor* bias = linear && request.arguments.inputs.size() > 2 ? &request.arguments.inputs[2] : nullptr;
  if (!is_contiguous(y.shape(), y.strides()) || (bias != nullptr && !is_contiguous(bias->shape(), bias->strides())))
    return nullptr;
  const auto weight =
      linear ? request.arguments.inputs[1].transpose(0, 1) : Result<Tensor>(request.arguments.inputs[1]);
  CHECK(weight.ok());
  const size_t rank = y.shape().size();
  Batch<T> batch;
  GemmProblem<T>& p = batch.first;
  p = {matrix<T>(x),        matrix<T>(*weight),  bias != nullptr ? bias->data_as<T>() : nullptr,
       y.data_as<T>(),      y.shape()[rank - 1], y.shape()[rank - 2],
       y.shape()[rank - 1], x.shape().back()};
  int64_t each = workspace_each<T>(p.m, p.n, p.k);
  batch.a_offset = batch_offsets(x, y.shape());
  batch.b_offset = batch_offsets(*weight, y.shape());
  if (loops::is_computed_transposed(p.m, p.n, bias != nullptr)) {
    std::swap(batch.a_offset, batch.b_offset);
    const GemmMatrix<T> a = p.a;
    p.a = p.b.transposed();
    p.b = a.transposed();
    std::swap(p.m, p.n);
    p.c_row = p.n;
  }
  batch.vector = p.m == 1 && (p.b.row == 1 || p.b.column == 1 || p.n == 1);
  if (batch.vector && p.n == 1 && p.b.row != 1) p.b.column = 1;
  std::byte* workspace = request.workspace;
  std::shared_ptr<Storage> own;
  if (p.m == 1 &&
      !batch.vector) {  // neither rows nor columns lie side by side: not worth a loop of its own, nor a plan's memory
    if (!any_strides) return nullptr;
    each = (gemm_loops_of<T>().workspace_elements(p.m, p.n, p.k) + 15) / 16 * 16;
    auto scratch = Storage::allocate_host(threads * each * static_cast<int64_t>(sizeof(T)));
    if (!scratch) throw std::bad_alloc();
    own = *std::move(scratch);
    workspace = own->data();
  }
  return std::make_unique<OwnMatmul<T>>(std::move(batch), reinterpret_cast<T*>(workspace), each, threads,
                                        std::move(own));
}

}  // namespace

int64_t own_matmul_workspace(Context& context, const Node& /*node*/, const Call& call) {
  const Shape& y = call.outputs[0].shape;
  const int64_t m = y[y.size() - 2], n = y.back(), k = call.inputs[0].shape.back();
  if (!sane(y, k)) return 0;
  switch (call.outputs[0].dtype) {
    case DType::float32: return context.threads * workspace_each<float>(m, n, k) * static_cast<int64_t>(sizeof(float));
    case DType::float64:
      return gemm_loops_f64().multiply == nullptr
                 ? 0
                 : context.threads * workspace_each<double>(m, n, k) * static_cast<int64_t>(sizeof(double));
    default: return 0;
  }
}

std::unique_ptr<PreparedOp> prepare_own_matmul(Context& context, const PrepareRequest& request) {
  return prepare_own_matmul(context.threads, request);
}

std::unique_ptr<PreparedOp> prepare_own_matmul(int threads, const PrepareRequest& request, bool any_strides) {
  const DType dtype = request.arguments.outputs[0].dtype();
  for (const Tensor& t : request.arguments.inputs) {
    if (t.dtype() != dtype) return nullptr;
  }
  if (dtype == DType::float32) return prepare<float>(threads, request, any_strides);
  return dtype == DType::float64 ? prepare<double>(threads, request, any_strides) : nullptr;
}

}  // namespace engine::cpu
