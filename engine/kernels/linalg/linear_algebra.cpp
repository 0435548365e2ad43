// SPDX-License-Identifier: Apache-2.0
// Linear algebra by LAPACK (inside OpenBLAS, one thread each; a batch is split over our threads), f32 and f64.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/check.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/memory_room.h"
#include "engine/kernels/core/parallel.h"

// LAPACK's own (Fortran) interface: column-major, everything by address.
extern "C" {
void sgesv_(const int* n, const int* k, float* a, const int* lda, int* pivots, float* b, const int* ldb, int* info);
void dgesv_(const int* n, const int* k, double* a, const int* lda, int* pivots, double* b, const int* ldb, int* info);
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* pivots, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void spotrf_(const char* half, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* half, const int* n, double* a, const int* lda, int* info);
void ssyevd_(const char* job, const char* half, const int* n, float* a, const int* lda, float* w, float* work,
             const int* lwork, int* iwork, const int* liwork, int* info);
void dsyevd_(const char* job, const char* half, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info);
void sgesdd_(const char* job, const int* m, const int* n, float* a, const int* lda, float* s, float* u, const int* ldu,
             float* vt, const int* ldvt, float* work, const int* lwork, int* iwork, int* info);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info);
void sgeqrf_(const int* m, const int* n, float* a, const int* lda, float* tau, float* work, const int* lwork,
             int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void sorgqr_(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau, float* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);
}

namespace engine::cpu {
namespace {

/// Larger matrices would not fit LAPACK's 32-bit counts of workspace.
constexpr int64_t kLargestExtent = 16384;

/// The routine for T out of a pair.
template <class T, class Single, class Double>
auto pick(Single single_routine, Double double_routine) {
  if constexpr (std::is_same_v<T, float>) {
    return single_routine;
  } else {
    return double_routine;
  }
}

/// Where the matrices of a batched tensor lie.
template <class T>
class Matrices {
 public:
  explicit Matrices(const Tensor& tensor) : tensor_(tensor), axes_(tensor.shape().size() - 2) {}
  int64_t rows() const { return tensor_.shape()[axes_]; }
  int64_t columns() const { return tensor_.shape()[axes_ + 1]; }

  /// Matrix `which` (row-major over the leading axes), column by column.
  void read(int64_t which, T* columns_first) const {
    const T* base = tensor_.data_as<const T>();
    for (size_t axis = axes_; axis-- > 0;) {
      base += which % tensor_.shape()[axis] * tensor_.strides()[axis];
      which /= tensor_.shape()[axis];
    }
    const int64_t to_row = tensor_.strides()[axes_], to_column = tensor_.strides()[axes_ + 1];
    for (int64_t j = 0; j < columns(); ++j) {
      for (int64_t i = 0; i < rows(); ++i) *columns_first++ = base[i * to_row + j * to_column];
    }
  }

 private:
  const Tensor& tensor_;
  size_t axes_;
};

/// Writes an m x n column-major matrix row by row.
template <class T>
void write_rows(const T* columns_first, int64_t m, int64_t n, int64_t leading, T* rows_first) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) *rows_first++ = columns_first[j * leading + i];
  }
}

/// Whether the component of largest size (the first of them) is negative.
template <class T>
bool points_down(const T* vector, int64_t count) {
  T largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (std::abs(vector[i]) > std::abs(largest)) largest = vector[i];
  }
  return largest < 0;
}

/// What one thread works in.
template <class T>
struct Scratch {
  std::vector<T> a, b, c, work;
  std::vector<int> integers;
};

template <class T>
class LapackOp final : public PreparedOp {
 public:
  LapackOp(const PrepareRequest& request, int threads) : op_(request.node.op->name), arguments_(request.arguments) {
    const Shape& a = arguments_.inputs[0].shape();
    m_ = static_cast<int>(a.end()[-2]);
    n_ = static_cast<int>(a.end()[-1]);
    r_ = std::min(m_, n_);
    k_ = op_ == "solve" ? static_cast<int>(arguments_.inputs[1].shape().back()) : op_ == "inverse" ? n_ : 0;
    count_ = arguments_.inputs[0].type().elements() / (int64_t{m_} * n_);
    threads_ = static_cast<int>(std::min<int64_t>(threads, count_));
    scratch_.resize(static_cast<size_t>(threads_));
    for (Scratch<T>& s : scratch_) reserve(s);
  }

  void run() override {
    if (!team_pays(threads_, streaming_work(static_cast<double>(count_) * m_ * n_ * r_))) {
      for (int64_t i = 0; i < count_; ++i) one(i, scratch_[0]);
      return;
    }
    run_team(threads_, [this](int64_t me, int64_t team) {
      for (int64_t i = count_ * me / team; i < count_ * (me + 1) / team; ++i) one(i, scratch_[static_cast<size_t>(me)]);
    });
  }
  KernelFacts facts() const override {
    return {.name = fmt::format("LAPACK {} (OpenBLAS)", op_), .library = KernelLibrary::lapack};
  }

 private:
  T* output(size_t j, int64_t which, int64_t elements) const {
    return arguments_.outputs[j].template data_as<T>() + which * elements;
  }
  void give_nan(int64_t which) const {
    for (const Tensor& tensor : arguments_.outputs) {
      const int64_t elements = tensor.type().elements() / count_;
      std::fill_n(tensor.data_as<T>() + which * elements, elements, std::numeric_limits<T>::quiet_NaN());
    }
  }

  /// Asks LAPACK for the sizes it wants and allocates them, so that running does not.
  void reserve(Scratch<T>& s) const {
    const size_t mn = static_cast<size_t>(m_) * static_cast<size_t>(n_);
    s.a.resize(mn);
    s.b.resize(std::max<size_t>(static_cast<size_t>(n_) * static_cast<size_t>(k_),
                                static_cast<size_t>(m_) * static_cast<size_t>(r_)));
    s.c.resize(static_cast<size_t>(r_) * static_cast<size_t>(n_) + static_cast<size_t>(r_));
    s.integers.resize(static_cast<size_t>(8 * r_ + 8));
    T wanted = 0;
    int info = 0, integers_wanted = 0;
    const int ask = -1;
    if (op_ == "eigh") {
      pick<T>(ssyevd_, dsyevd_)("V", "L", &n_, s.a.data(), &n_, s.c.data(), &wanted, &ask, &integers_wanted, &ask,
                                &info);
      s.integers.resize(static_cast<size_t>(integers_wanted));
    } else if (op_ == "svd") {
      pick<T>(sgesdd_, dgesdd_)("S", &m_, &n_, s.a.data(), &m_, s.c.data(), s.b.data(), &m_, s.c.data(), &r_, &wanted,
                                &ask, s.integers.data(), &info);
    } else if (op_ == "qr") {
      T for_q = 0;
      pick<T>(sgeqrf_, dgeqrf_)(&m_, &n_, s.a.data(), &m_, s.c.data(), &wanted, &ask, &info);
      pick<T>(sorgqr_, dorgqr_)(&m_, &r_, &r_, s.a.data(), &m_, s.c.data(), &for_q, &ask, &info);
      wanted = std::max(wanted, for_q);
    }
    CHECK(info == 0);
    // f32 cannot hold every count: one more in a million covers what rounding took.
    s.work.resize(static_cast<size_t>(static_cast<double>(wanted) * 1.000001) + 1);
  }

  void one(int64_t which, Scratch<T>& s) const {
    Matrices<T>(arguments_.inputs[0]).read(which, s.a.data());
    bool done = false;
    if (op_ == "solve" || op_ == "inverse") done = solve(which, s);
    if (op_ == "determinant") done = determinant(which, s);
    if (op_ == "cholesky") done = cholesky(which, s);
    if (op_ == "eigh") done = eigh(which, s);
    if (op_ == "svd") done = svd(which, s);
    if (op_ == "qr") done = qr(which, s);
    if (!done) give_nan(which);
  }

  bool solve(int64_t which, Scratch<T>& s) const {
    if (op_ == "solve") {
      Matrices<T>(arguments_.inputs[1]).read(which, s.b.data());
    } else {
      std::fill(s.b.begin(), s.b.end(), T{0});
      for (int64_t i = 0; i < n_; ++i) s.b[static_cast<size_t>(i * n_ + i)] = 1;
    }
    int info = 0;
    pick<T>(sgesv_, dgesv_)(&n_, &k_, s.a.data(), &n_, s.integers.data(), s.b.data(), &n_, &info);
    if (info == 0) write_rows(s.b.data(), n_, k_, n_, output(0, which, int64_t{n_} * k_));
    return info == 0;
  }

  bool determinant(int64_t which, Scratch<T>& s) const {
    int info = 0;
    pick<T>(sgetrf_, dgetrf_)(&n_, &n_, s.a.data(), &n_, s.integers.data(), &info);
    double product = 1;
    for (int64_t i = 0; i < n_; ++i) {
      product *= static_cast<double>(s.a[static_cast<size_t>(i * n_ + i)]);
      if (s.integers[static_cast<size_t>(i)] != i + 1) product = -product;
    }
    *output(0, which, 1) = info > 0 ? T{0} : static_cast<T>(product);  // a pivot that is exactly 0
    return true;
  }

  bool cholesky(int64_t which, Scratch<T>& s) const {
    int info = 0;
    pick<T>(spotrf_, dpotrf_)("L", &n_, s.a.data(), &n_, &info);
    for (int64_t j = 0; j < n_; ++j) std::fill_n(s.a.begin() + j * n_, j, T{0});
    if (info == 0) write_rows(s.a.data(), n_, n_, n_, output(0, which, int64_t{n_} * n_));
    return info == 0;
  }

  bool eigh(int64_t which, Scratch<T>& s) const {
    int info = 0;
    const int size = static_cast<int>(s.work.size()), integers = static_cast<int>(s.integers.size());
    pick<T>(ssyevd_, dsyevd_)("V", "L", &n_, s.a.data(), &n_, s.c.data(), s.work.data(), &size, s.integers.data(),
                              &integers, &info);
    if (info != 0) return false;
    for (int64_t j = 0; j < n_; ++j) {
      T* vector = s.a.data() + j * n_;
      if (points_down(vector, n_)) std::transform(vector, vector + n_, vector, std::negate<>{});
    }
    std::copy_n(s.c.data(), n_, output(0, which, n_));
    write_rows(s.a.data(), n_, n_, n_, output(1, which, int64_t{n_} * n_));
    return true;
  }

  bool svd(int64_t which, Scratch<T>& s) const {
    int info = 0;
    const int size = static_cast<int>(s.work.size());
    T *singular = s.c.data(), *vt = s.c.data() + r_;
    pick<T>(sgesdd_, dgesdd_)("S", &m_, &n_, s.a.data(), &m_, singular, s.b.data(), &m_, vt, &r_, s.work.data(), &size,
                              s.integers.data(), &info);
    if (info != 0) return false;
    for (int64_t j = 0; j < r_; ++j) {
      T* vector = s.b.data() + j * m_;
      if (!points_down(vector, m_)) continue;
      std::transform(vector, vector + m_, vector, std::negate<>{});
      for (int64_t i = 0; i < n_; ++i) vt[i * r_ + j] = -vt[i * r_ + j];
    }
    write_rows(s.b.data(), m_, r_, m_, output(0, which, int64_t{m_} * r_));
    std::copy_n(singular, r_, output(1, which, r_));
    write_rows(vt, r_, n_, r_, output(2, which, int64_t{r_} * n_));
    return true;
  }

  bool qr(int64_t which, Scratch<T>& s) const {
    int info = 0;
    const int size = static_cast<int>(s.work.size());
    pick<T>(sgeqrf_, dgeqrf_)(&m_, &n_, s.a.data(), &m_, s.c.data(), s.work.data(), &size, &info);
    if (info != 0) return false;
    T *q = output(0, which, int64_t{m_} * r_), *r = output(1, which, int64_t{r_} * n_);
    std::vector<bool>::size_type flipped = 0;
    for (int64_t i = 0; i < r_; ++i) {
      const bool flip = s.a[static_cast<size_t>(i * m_ + i)] < 0;
      s.integers[static_cast<size_t>(i)] = flip;
      flipped += flip;
      for (int64_t j = 0; j < n_; ++j) {
        const T value = j < i ? T{0} : s.a[static_cast<size_t>(j * m_ + i)];
        r[i * n_ + j] = flip ? -value : value;
      }
    }
    pick<T>(sorgqr_, dorgqr_)(&m_, &r_, &r_, s.a.data(), &m_, s.c.data(), s.work.data(), &size, &info);
    write_rows(s.a.data(), m_, r_, m_, q);
    for (int64_t i = 0; i < m_ && flipped > 0; ++i) {
      for (int64_t j = 0; j < r_; ++j) {
        if (s.integers[static_cast<size_t>(j)] != 0) q[i * r_ + j] = -q[i * r_ + j];
      }
    }
    return info == 0;
  }

  std::string op_;
  KernelArguments arguments_;
  int m_ = 0, n_ = 0, r_ = 0, k_ = 0, threads_ = 1;
  int64_t count_ = 0;
  mutable std::vector<Scratch<T>> scratch_;  ///< one per thread
};

std::unique_ptr<PreparedOp> prepare_lapack(Context& context, const PrepareRequest& request) {
  if (!openblas_has_room(context.threads)) throw std::bad_alloc();
  for (const Tensor& tensor : request.arguments.inputs) {
    if (std::max(tensor.shape().end()[-2], tensor.shape().end()[-1]) > kLargestExtent) return nullptr;
  }
  const DType dtype = request.arguments.inputs[0].dtype();
  if (dtype == DType::float32) return std::make_unique<LapackOp<float>>(request, context.threads);
  if (dtype == DType::float64) return std::make_unique<LapackOp<double>>(request, context.threads);
  return nullptr;
}

}  // namespace

std::span<const Kernel> linear_algebra_kernels() {
  static constexpr Kernel kKernels[] = {{"solve", prepare_lapack},       {"inverse", prepare_lapack},
                                        {"determinant", prepare_lapack}, {"cholesky", prepare_lapack},
                                        {"eigh", prepare_lapack},        {"svd", prepare_lapack},
                                        {"qr", prepare_lapack}};
  return kKernels;
}

}  // namespace engine::cpu
