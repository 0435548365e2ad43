// SPDX-License-Identifier: Apache-2.0
// matmul_integer and qlinear_matmul by oneDNN's products of 8-bit integers with sums of 32 bits (VNNI, AMX); other
// processors are left to our own loops. oneDNN sums a * b as they are, b as signed bytes (u8: less 128), and what the
// zero points take away follows: sum (a - za)(b - zb) = sum ab - za sum b - zb sum a + K za zb.
#include <algorithm>
#include <cstdint>
#include <string>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/onednn/dnnl_support.h"
#include "engine/kernels/quantized/quantized_result.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;
using Data = dnnl::memory::data_type;

/// Sums of this many products of bytes fit 31 bits, with zero points and without.
constexpr int64_t kLongestSum = 1 << 14;

/// [.., m, k] times [.., k, n]: `batch` products, or one where b is one matrix.
struct IntegerProblem {
  dnnl::matmul::primitive_desc primitive;
  Descriptor b_ours;   ///< as oneDNN reads it: b itself, or its signed copy
  TensorType a, b, y;  ///< of the same rank
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool quantized = false;
  bool copies_a = false;  ///< a's rows do not lie side by side: oneDNN reads a copy

  bool shifts() const { return b.dtype == DType::uint8; }
  size_t bytes_of_sums() const { return quantized ? whole_lines(static_cast<size_t>(batch * m * n) * 4) : 0; }
  size_t bytes_of_signed() const { return shifts() ? whole_lines(static_cast<size_t>(batch * k * n)) : 0; }
  size_t bytes_of_packed() const {
    const Descriptor packed = primitive.weights_desc();
    return packed == b_ours ? 0 : whole_lines(packed.get_size());
  }
  size_t bytes_of_columns() const { return whole_lines(static_cast<size_t>(batch * n) * 4); }
  size_t bytes_of_rows() const { return whole_lines(static_cast<size_t>(batch * m) * 4); }
  size_t bytes_of_a() const { return copies_a ? whole_lines(static_cast<size_t>(batch * m * k)) : 0; }
  size_t workspace() const {
    return bytes_of_a() + bytes_of_sums() + bytes_of_signed() + bytes_of_packed() + 2 * bytes_of_columns() +
           bytes_of_rows() + whole_lines(primitive.scratchpad_desc().get_size());
  }
};

Descriptor strided(const TensorType& type, Data data) {
  return {dnnl_dims(type.shape), data, dnnl::memory::dims(type.strides.begin(), type.strides.end())};
}

/// Nothing where oneDNN has no kernel for the operands.
std::optional<IntegerProblem> problem_of(Context& context, const Node& node, std::span<const TensorType> in,
                                         const TensorType& result, bool b_constant) {
  IntegerProblem p;
  p.quantized = node.op->name.starts_with("qlinear");
  const QuantizedPlaces places = QuantizedPlaces::of(p.quantized);
  p.a = in[places.a], p.b = in[places.b], p.y = result;
  if (!dnnl_byte_type(p.a.dtype) || !dnnl_byte_type(p.b.dtype) || p.a.rank() < 2 || p.b.rank() < 2 ||
      p.y.elements() == 0 || !is_contiguous(p.y.shape, p.y.strides))
    return std::nullopt;
  if (p.b.rank() == 2 && p.a.rank() > 2) {  // all rows meet the same matrix
    const Result<View> rows = view_reshape(p.a, {-1, p.a.shape.back()});
    if (!rows) return std::nullopt;
    p.a = rows->type;
    p.y = TensorType::contiguous(p.y.dtype, {p.a.shape[0], p.y.shape.back()});
  }
  const size_t rank = p.y.shape.size();
  if (p.a.shape.size() != rank || p.b.shape.size() != rank) return std::nullopt;
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    if (p.a.shape[axis] != p.y.shape[axis] || p.b.shape[axis] != p.y.shape[axis]) return std::nullopt;
    p.batch *= p.y.shape[axis];
  }
  const auto positive = [](int64_t stride) { return stride > 0; };
  if (!std::ranges::all_of(p.a.strides, positive) || !std::ranges::all_of(p.b.strides, positive)) return std::nullopt;
  p.m = p.y.shape[rank - 2], p.n = p.y.shape[rank - 1], p.k = p.a.shape[rank - 1];
  if (p.k == 0 || p.k > kLongestSum) return std::nullopt;
  TensorType b = p.b;
  if (p.shifts()) b = TensorType::contiguous(DType::int8, p.b.shape);
  p.b_ours = strided(b, Data::s8);
  const Descriptor asked =
      b_constant ? Descriptor(dnnl_dims(b.shape), Data::s8, dnnl::memory::format_tag::any) : p.b_ours;
  p.copies_a = p.a.strides.back() != 1 && p.k > 1;
  const TensorType a = p.copies_a ? TensorType::contiguous(p.a.dtype, p.a.shape) : p.a;
  const dnnl::matmul::desc desc(strided(a, *dnnl_byte_type(a.dtype)), asked,
                                strided(TensorType::contiguous(DType::int32, p.y.shape), Data::s32));
  const auto made = [&] { return dnnl::matmul::primitive_desc(desc, user_scratchpad(), context.dnnl->engine); };
  p.primitive = for_few_products(made(), made, static_cast<double>(p.y.elements()) * static_cast<double>(p.k));
  return computes_bytes(p.primitive) ? std::optional(std::move(p)) : std::nullopt;
}

class IntegerMatmul final : public PreparedOp {
 public:
  IntegerMatmul(Context& context, const PrepareRequest& request, const IntegerProblem& p)
      : problem_(p),
        places_(QuantizedPlaces::of(p.quantized)),
        arguments_(request.arguments),
        result_(request, p.quantized, p.n),
        threads_(context.threads),
        once_(request.inputs_constant.size() > places_.b && request.inputs_constant[places_.b]),
        zeros_once_(request.inputs_constant.size() > places_.b_zero && request.inputs_constant[places_.b_zero]),
        name_(std::string("oneDNN ") + p.primitive.impl_info_str() + ", i32 sums") {
    std::byte* free = request.workspace;
    const auto take = [&](size_t bytes, bool keep) {
      if (bytes == 0 || !keep) {
        std::byte* const begin = free;
        free += bytes;
        return begin;
      }
      auto own = Storage::allocate_host(static_cast<int64_t>(bytes));
      if (!own) throw std::bad_alloc();
      kept_.push_back(*own);
      return kept_.back()->data();
    };
    sums_ = reinterpret_cast<int32_t*>(p.quantized ? take(p.bytes_of_sums(), false) : arguments_.outputs[0].data());
    signed_ = reinterpret_cast<int8_t*>(take(p.bytes_of_signed(), false));
    const Descriptor packed = p.primitive.weights_desc();
    std::byte* const b = p.shifts() ? reinterpret_cast<std::byte*>(signed_) : arguments_.inputs[places_.b].data();
    std::byte* const weights =
        packed == p.b_ours ? (p.shifts() && once_ ? kept_signed() : b) : take(p.bytes_of_packed(), once_);
    if (packed == p.b_ours && p.shifts() && once_) signed_ = reinterpret_cast<int8_t*>(weights);
    pack_ = bind_reorder(context, p.b_ours, b, packed, weights);
    column_sums_ = reinterpret_cast<int32_t*>(take(p.bytes_of_columns(), once_));
    offsets_ = reinterpret_cast<uint32_t*>(take(p.bytes_of_columns(), false));
    row_sums_ = reinterpret_cast<int32_t*>(take(p.bytes_of_rows(), false));
    a_ = p.copies_a ? take(p.bytes_of_a(), false) : arguments_.inputs[places_.a].data();
    const auto memory = [&](const Descriptor& desc, void* data) {
      return dnnl::memory(desc, context.dnnl->engine, data);
    };
    main_ = BoundPrimitive(context, dnnl::matmul(p.primitive),
                           {{DNNL_ARG_SRC, memory(p.primitive.src_desc(), a_)},
                            {DNNL_ARG_WEIGHTS, memory(packed, weights)},
                            {DNNL_ARG_DST, memory(p.primitive.dst_desc(), sums_)},
                            {DNNL_ARG_SCRATCHPAD, memory(p.primitive.scratchpad_desc(), free)}});
  }

  void run() override {
    if (!ready_) prepare_b();
    ready_ = once_;
    if (problem_.copies_a) copy_a();
    main_.run();
    const bool plain = !read_zeros();
    if (plain && !problem_.quantized) return;
    result_.read();
    const int64_t m = problem_.m, n = problem_.n;
    parallel_parts(threads_, problem_.batch * m, 1, problem_.batch * m * n, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        int32_t* const sums = sums_ + row * n;
        if (!plain) correct(sums, row);
        if (problem_.quantized) result_.write(row * n, 0, n, sums);
      }
    });
  }
  KernelFacts facts() const override {
    return {.name = name_, .library = KernelLibrary::onednn, .format = ProductFormat::int8};
  }

 private:
  std::byte* kept_signed() {
    auto own = Storage::allocate_host(static_cast<int64_t>(problem_.bytes_of_signed()));
    if (!own) throw std::bad_alloc();
    kept_.push_back(*own);
    return kept_.back()->data();
  }

  /// Where matrix `q` of the batch begins in an operand, in elements.
  static int64_t begin_of(const TensorType& type, int64_t q) {
    int64_t offset = 0;
    for (size_t axis = type.shape.size() - 2; axis-- > 0;) {
      offset += q % type.shape[axis] * type.strides[axis];
      q /= type.shape[axis];
    }
    return offset;
  }

  /// The sums of b's columns, as signed bytes; and these, where b has others.
  template <class T>
  void read_b(const T* b) {
    const int64_t down = problem_.b.strides[problem_.b.shape.size() - 2], across = problem_.b.strides.back();
    const int64_t n = problem_.n, k = problem_.k;
    constexpr int kShift = std::is_signed_v<T> ? 0 : 128;
    parallel_for(threads_, problem_.batch, problem_.batch * k * n, [&](int64_t q) {
      const T* const from = b + begin_of(problem_.b, q);
      int32_t* const sums = column_sums_ + q * n;
      std::fill_n(sums, n, 0);
      for (int64_t i = 0; i < k; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          const int value = from[i * down + j * across] - kShift;
          sums[j] += value;
          if constexpr (kShift != 0) signed_[(q * k + i) * n + j] = static_cast<int8_t>(value);
        }
      }
    });
  }

  void prepare_b() {
    const std::byte* const b = arguments_.inputs[places_.b].data();
    if (problem_.shifts()) read_b(reinterpret_cast<const uint8_t*>(b));
    else read_b(reinterpret_cast<const int8_t*>(b));
    if (pack_) pack_->run();
  }

  int32_t b_zero(int64_t column) const {
    return static_cast<int32_t>(quantized_parameter(arguments_.inputs[places_.b_zero], column)) -
           (problem_.shifts() ? 128 : 0);
  }

  void copy_a() {
    const int64_t down = problem_.a.strides[problem_.a.shape.size() - 2], across = problem_.a.strides.back();
    const std::byte* const a = arguments_.inputs[places_.a].data();
    const int64_t rows = problem_.batch * problem_.m;
    parallel_for(threads_, rows, rows * problem_.k, [&](int64_t row) {
      const std::byte* const from = a + begin_of(problem_.a, row / problem_.m) + row % problem_.m * down;
      for (int64_t i = 0; i < problem_.k; ++i) a_[row * problem_.k + i] = from[i * across];
    });
  }

  template <class T>
  void sum_rows(const T* a) {
    const int64_t down = problem_.a.strides[problem_.a.shape.size() - 2], across = problem_.a.strides.back();
    parallel_for(threads_, problem_.batch * problem_.m, problem_.batch * problem_.m * problem_.k, [&](int64_t row) {
      const T* const from = a + begin_of(problem_.a, row / problem_.m) + row % problem_.m * down;
      int32_t sum = 0;
      for (int64_t i = 0; i < problem_.k; ++i) sum += from[i * across];
      row_sums_[row] = sum;
    });
  }

  /// What zero points take away from each column, and from rows; false: nothing.
  bool read_zeros() {
    const auto a_zero = static_cast<int32_t>(quantized_parameter(arguments_.inputs[places_.a_zero], 0));
    const int64_t n = problem_.n;
    if (!zeros_once_ || b_zeros_.empty()) {
      b_zeros_.resize(static_cast<size_t>(n));
      for (int64_t j = 0; j < n; ++j) b_zeros_[static_cast<size_t>(j)] = b_zero(j);
      by_rows_ = std::ranges::any_of(b_zeros_, [](int32_t zero) { return zero != 0; });
    }
    for (int64_t i = 0; i < problem_.batch * n; ++i) {
      const auto zero = static_cast<uint32_t>(b_zeros_[static_cast<size_t>(i % n)]);
      offsets_[i] = static_cast<uint32_t>(a_zero) *
                    (static_cast<uint32_t>(problem_.k) * zero - static_cast<uint32_t>(column_sums_[i]));
    }
    if (by_rows_) {
      const std::byte* const a = arguments_.inputs[places_.a].data();
      if (problem_.a.dtype == DType::uint8) sum_rows(reinterpret_cast<const uint8_t*>(a));
      else sum_rows(reinterpret_cast<const int8_t*>(a));
    }
    return by_rows_ || a_zero != 0;
  }

  /// By unsigned numbers: the corrected sum fits 31 bits, what leads to it need not.
  void correct(int32_t* sums, int64_t row) const {
    const uint32_t* const offsets = offsets_ + row / problem_.m * problem_.n;
    const int32_t* const zeros = b_zeros_.data();
    const auto sum = static_cast<uint32_t>(by_rows_ ? row_sums_[row] : 0);
    for (int64_t j = 0; j < problem_.n; ++j)
      sums[j] =
          static_cast<int32_t>(static_cast<uint32_t>(sums[j]) + offsets[j] - static_cast<uint32_t>(zeros[j]) * sum);
  }

  IntegerProblem problem_;
  QuantizedPlaces places_;
  KernelArguments arguments_;
  QuantizedResult result_;
  int threads_;
  bool once_, ready_ = false;          ///< once: b is constant and made ready on the first run
  bool zeros_once_, by_rows_ = false;  ///< the same of its zero points; whether one of them is not 0
  std::string name_;
  std::vector<std::shared_ptr<Storage>> kept_;
  int32_t *sums_ = nullptr, *column_sums_ = nullptr, *row_sums_ = nullptr;
  uint32_t* offsets_ = nullptr;
  int8_t* signed_ = nullptr;
  std::byte* a_ = nullptr;
  std::vector<int32_t> b_zeros_;
  std::optional<BoundPrimitive> pack_;
  BoundPrimitive main_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_dnnl_integer_matmul(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : request.arguments.inputs) types.push_back(tensor.type());
  const size_t b = QuantizedPlaces::of(request.node.op->name.starts_with("qlinear")).b;
  const bool constant = request.inputs_constant.size() > b && request.inputs_constant[b];
  const auto p = problem_of(context, request.node, types, request.arguments.outputs[0].type(), constant);
  return p ? std::make_unique<IntegerMatmul>(context, request, *p) : nullptr;
}

int64_t dnnl_integer_matmul_workspace(Context& context, const Node& node, const Call& call) {
  size_t bytes = 0;
  for (const bool constant : {false, true}) {
    const auto p = problem_of(context, node, call.inputs, call.outputs[0], constant);
    if (p) bytes = std::max(bytes, p->workspace());
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace engine::cpu
