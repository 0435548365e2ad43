// SPDX-License-Identifier: Apache-2.0
// Kernels of ops whose results' sizes depend on data: non_zero, compress, unique, non_max_suppression, known_values.
// Results hold what fits into the size that the graph has; the last of them is the size that the data ask for.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "engine/graph/box_selection.h"
#include "engine/graph/element_maps.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/indexing/indexing-inl.h"
#include "engine/kernels/indexing/indexing_kernels.h"

namespace engine::cpu {
namespace {

/// What all of them do: keep their operands, and give out how many results the data have.
class CountingOp : public PreparedOp {
 public:
  CountingOp(const PrepareRequest& request, int threads)
      : arguments_(request.arguments), threads_(threads), expected_(request.node.attributes.get_int("count", 0)) {}

 protected:
  void put_found(int64_t found) const { *arguments_.outputs.back().data_as<int64_t>() = found; }
  /// Zeros in the last of a result's rows, from `first` on.
  static void clear(const Tensor& y, int64_t first, int64_t row_bytes) {
    const int64_t begin = first * row_bytes, end = y.type().span_bytes();
    if (begin < end) std::memset(y.data() + begin, 0, static_cast<size_t>(end - begin));
  }

  const KernelArguments arguments_;
  const int threads_;
  const int64_t expected_;
};

// ---- non_zero

/// T: an unsigned integer as wide as an element. Of floats the sign does not count: -0 is 0.
template <class T>
class NonZeroOp final : public CountingOp {
 public:
  NonZeroOp(const PrepareRequest& request, int threads)
      : CountingOp(request, threads),
        sign_(is_floating(arguments_.inputs[0].dtype()) ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0}),
        elements_(arguments_.inputs[0].type().elements()),
        counts_(static_cast<size_t>((elements_ + kBlock - 1) / kBlock)) {}

  void run() override {
    const T* const x = arguments_.inputs[0].data_as<T>();
    const auto blocks = static_cast<int64_t>(counts_.size());
    parallel_for(threads_, blocks, elements_, [&](int64_t block) {
      int64_t count = 0;
      const int64_t end = std::min((block + 1) * kBlock, elements_);
      for (int64_t i = block * kBlock; i < end; ++i) count += there(x[i]) ? 1 : 0;
      counts_[static_cast<size_t>(block)] = count;
    });
    const int64_t found = std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
    std::exclusive_scan(counts_.begin(), counts_.end(), counts_.begin(), int64_t{0});
    parallel_for(threads_, blocks, elements_, [&](int64_t block) { place(x, block); });
    auto* const y = arguments_.outputs[0].data_as<int64_t>();
    for (int64_t axis = 0; axis < arguments_.outputs[0].shape()[0]; ++axis) {
      for (int64_t k = found; k < expected_; ++k) y[axis * expected_ + k] = 0;
    }
    put_found(found);
  }
  KernelFacts facts() const override { return {.name = "own count and places"}; }

 private:
  static constexpr int64_t kBlock = 4096;

  bool there(T bits) const { return static_cast<T>(bits & static_cast<T>(~sign_)) != 0; }

  void place(const T* x, int64_t block) const {
    auto* const y = arguments_.outputs[0].data_as<int64_t>();
    const Shape& shape = arguments_.inputs[0].shape();
    int64_t k = counts_[static_cast<size_t>(block)];
    const int64_t end = std::min((block + 1) * kBlock, elements_);
    for (int64_t i = block * kBlock; i < end && k < expected_; ++i) {
      if (!there(x[i])) continue;
      int64_t rest = i;
      for (size_t axis = shape.size(); axis-- > 0;) {
        y[static_cast<int64_t>(axis) * expected_ + k] = rest % shape[axis];
        rest /= shape[axis];
      }
      ++k;
    }
  }

  T sign_;
  int64_t elements_;
  std::vector<int64_t> counts_;  ///< by block; then: of all before it
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_non_zero(Context& context, const PrepareRequest& request) {
  if (!row_major(request.arguments.inputs[0].type())) return nullptr;
  return make_moving<NonZeroOp>(request.arguments.inputs[0].dtype(), request, context.threads);
}

namespace {

// ---- compress

class CompressOp final : public CountingOp {
 public:
  CompressOp(const PrepareRequest& request, int threads)
      : CountingOp(request, threads),
        split_(request.node.attributes.get_int("flat", 0) != 0
                   ? AxisSplit{1, arguments_.inputs[0].type().elements(), 1}
                   : split_at(arguments_.inputs[0].shape(), request.node.attributes.get_int("axis", 0))),
        slice_bytes_(split_.inner * size_bytes(arguments_.inputs[0].dtype())) {}

  void run() override {
    const auto* const flags = arguments_.inputs[1].data_as<uint8_t>();
    chosen_.clear();
    for (int64_t i = 0; i < arguments_.inputs[1].type().elements(); ++i) {
      if (flags[i] != 0) chosen_.push_back(i);
    }
    const auto found = static_cast<int64_t>(chosen_.size());
    const int64_t kept = std::min(found, expected_);
    put_found(found);
    const std::byte* const x = arguments_.inputs[0].data();
    std::byte* const y = arguments_.outputs[0].data();
    parallel_for(threads_, split_.outer * expected_, arguments_.outputs[0].type().elements(), [&](int64_t row) {
      const int64_t o = row / expected_, k = row % expected_;
      std::byte* const to = y + row * slice_bytes_;
      if (k >= kept) std::memset(to, 0, static_cast<size_t>(slice_bytes_));
      else
        std::memcpy(to, x + (o * split_.extent + chosen_[static_cast<size_t>(k)]) * slice_bytes_,
                    static_cast<size_t>(slice_bytes_));
    });
  }
  KernelFacts facts() const override { return {.name = "own row copies"}; }

 private:
  AxisSplit split_;
  int64_t slice_bytes_;
  std::vector<int64_t> chosen_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_compress(Context& context, const PrepareRequest& request) {
  if (!row_major(request.arguments.inputs[0].type()) || !row_major(request.arguments.inputs[1].type())) return nullptr;
  return std::make_unique<CompressOp>(request, context.threads);
}

namespace {

// ---- unique: of elements; slices are the reference's

template <class T>
class UniqueOp final : public CountingOp {
 public:
  explicit UniqueOp(const PrepareRequest& request)
      : CountingOp(request, 1), sorted_(request.node.attributes.get_int("sorted", 1) != 0) {}

  void run() override {
    const T* const x = arguments_.inputs[0].data_as<T>();
    const int64_t count = arguments_.inputs[0].type().elements();
    order_.resize(static_cast<size_t>(count));
    std::iota(order_.begin(), order_.end(), int64_t{0});
    std::stable_sort(order_.begin(), order_.end(), [x](int64_t i, int64_t j) {
      const T a = x[i], b = x[j];
      if (a != a || b != b) return b != b && a == a;  // NaN last
      return a < b;
    });
    first_.clear();
    group_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      const bool equal = i > 0 && x[order_[i]] == x[order_[i - 1]];
      if (!equal) first_.push_back(order_[i]);
      group_[static_cast<size_t>(order_[i])] = static_cast<int64_t>(first_.size()) - 1;
    }
    write(x);
    put_found(static_cast<int64_t>(first_.size()));
  }
  KernelFacts facts() const override { return {.name = "own sort, one thread", .single_thread = true}; }

 private:
  void write(const T* x) {
    std::vector<int64_t> place(first_.size());
    std::iota(place.begin(), place.end(), int64_t{0});
    if (!sorted_) {
      std::vector<int64_t> by_first = place;
      std::ranges::sort(by_first, {}, [&](int64_t g) { return first_[static_cast<size_t>(g)]; });
      for (size_t i = 0; i < by_first.size(); ++i) place[static_cast<size_t>(by_first[i])] = static_cast<int64_t>(i);
    }
    for (const Tensor& y : {arguments_.outputs[0], arguments_.outputs[1], arguments_.outputs[3]}) clear(y, 0, 1);
    auto* const values = arguments_.outputs[0].template data_as<T>();
    auto* const first = arguments_.outputs[1].template data_as<int64_t>();
    auto* const inverse = arguments_.outputs[2].template data_as<int64_t>();
    auto* const counts = arguments_.outputs[3].template data_as<int64_t>();
    for (size_t g = 0; g < first_.size(); ++g) {
      if (place[g] >= expected_) continue;
      values[place[g]] = x[first_[g]];
      first[place[g]] = first_[g];
    }
    for (size_t i = 0; i < group_.size(); ++i) {
      const int64_t at = place[static_cast<size_t>(group_[i])];
      inverse[i] = at;
      if (at < expected_) ++counts[at];
    }
  }

  bool sorted_;
  std::vector<int64_t> order_, first_, group_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_unique(Context&, const PrepareRequest& request) {
  const Tensor& x = request.arguments.inputs[0];
  if (request.node.attributes.get_int("flat", 0) == 0 && x.type().rank() != 1) return nullptr;
  if (!row_major(x.type())) return nullptr;
  switch (x.dtype()) {
    case DType::float32: return std::make_unique<UniqueOp<float>>(request);
    case DType::float64: return std::make_unique<UniqueOp<double>>(request);
    case DType::int64: return std::make_unique<UniqueOp<int64_t>>(request);
    case DType::int32: return std::make_unique<UniqueOp<int32_t>>(request);
    default: return nullptr;
  }
}

namespace {

// ---- non_max_suppression

template <class T>
class BoxesOp final : public CountingOp {
 public:
  BoxesOp(const PrepareRequest& request, int threads) : CountingOp(request, threads) {
    const Attributes& attributes = request.node.attributes;
    limits_.most = attributes.get_int("most", 0);
    limits_.iou = attributes.get_double("iou", 0);
    if (attributes.get_int("limited", 0) != 0) limits_.least_score = attributes.get_double("least_score", 0);
    limits_.centred = attributes.get_int("centred", 0) != 0;
  }

  void run() override {
    const T *const boxes = arguments_.inputs[0].data_as<T>(), *const scores = arguments_.inputs[1].data_as<T>();
    const Shape& shape = arguments_.inputs[1].shape();
    const int64_t images = shape[0], classes = shape[1], count = shape[2];
    chosen_.assign(static_cast<size_t>(images * classes), {});
    // Each box may be compared with each better one: far more than an element of a stream.
    parallel_for(threads_, images * classes, images * classes * count * 64, [&](int64_t list) {
      const BoxSelection<T> selection(boxes + list / classes * count * 4, count, limits_.centred);
      chosen_[static_cast<size_t>(list)] = selection.choose(scores + list * count, limits_);
    });
    int64_t found = 0;
    auto* const y = arguments_.outputs[0].data_as<int64_t>();
    for (int64_t list = 0; list < images * classes; ++list) {
      for (const int64_t box : chosen_[static_cast<size_t>(list)]) {
        const int64_t k = found++;
        if (k >= expected_) continue;
        y[3 * k] = list / classes;
        y[3 * k + 1] = list % classes;
        y[3 * k + 2] = box;
      }
    }
    clear(arguments_.outputs[0], found, 3 * size_bytes(DType::int64));
    put_found(found);
  }
  KernelFacts facts() const override { return {.name = "own suppression"}; }

 private:
  BoxLimits limits_;
  std::vector<std::vector<int64_t>> chosen_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_non_max_suppression(Context& context, const PrepareRequest& request) {
  const auto& inputs = request.arguments.inputs;
  if (!row_major(inputs[0].type()) || !row_major(inputs[1].type())) return nullptr;
  if (inputs[0].dtype() == DType::float32) return std::make_unique<BoxesOp<float>>(request, context.threads);
  if (inputs[0].dtype() == DType::float64) return std::make_unique<BoxesOp<double>>(request, context.threads);
  return nullptr;
}

namespace {

// ---- known_values

template <class T>
class KnownValuesOp final : public PreparedOp {
 public:
  explicit KnownValuesOp(const PrepareRequest& request)
      : arguments_(request.arguments), expected_(request.node.attributes.get_ints("expected", {})) {}
  void run() override {
    const T* const x = arguments_.inputs[0].data_as<T>();
    int64_t others = 0;
    for (size_t i = 0; i < expected_.size(); ++i) others += equals(x[i], expected_[i]) ? 0 : 1;
    *arguments_.outputs[0].data_as<int64_t>() = others;
  }
  KernelFacts facts() const override { return {.name = "own comparison, one thread", .single_thread = true}; }

 private:
  static bool equals(T found, int64_t expected) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr double kAllowed = 1e-4;
      const double value = static_cast<double>(found), wanted = std::bit_cast<double>(expected);
      return value == wanted || (value != value && wanted != wanted) ||
             std::abs(value - wanted) <= kAllowed * std::abs(wanted);
    } else {
      return static_cast<int64_t>(found) == expected;
    }
  }
  const KernelArguments arguments_;
  const std::vector<int64_t> expected_;
};

}  // namespace

std::unique_ptr<PreparedOp> prepare_known_values(Context&, const PrepareRequest& request) {
  if (!row_major(request.arguments.inputs[0].type())) return nullptr;
  switch (request.arguments.inputs[0].dtype()) {
    case DType::float32: return std::make_unique<KnownValuesOp<float>>(request);
    case DType::float64: return std::make_unique<KnownValuesOp<double>>(request);
    case DType::int64: return std::make_unique<KnownValuesOp<int64_t>>(request);
    case DType::int32: return std::make_unique<KnownValuesOp<int32_t>>(request);
    case DType::boolean: return std::make_unique<KnownValuesOp<uint8_t>>(request);
    default: return nullptr;
  }
}

}  // namespace engine::cpu
