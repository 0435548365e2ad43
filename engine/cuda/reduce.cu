// SPDX-License-Identifier: Apache-2.0
// Reductions: a team per group, or, where groups lie side by side, a thread per group; long groups in parts. No
// atomics: the order of a sum depends on shapes alone.
#include "engine/cuda/reduce.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

template <class A>
__host__ __device__ A lowest_value() {
  if constexpr (sizeof(A) == sizeof(int64_t) && static_cast<A>(0.5) == A{0}) {
    return INT64_MIN;
  } else {
    return -static_cast<A>(INFINITY);
  }
}
template <class A>
__host__ __device__ A highest_value() {
  if constexpr (sizeof(A) == sizeof(int64_t) && static_cast<A>(0.5) == A{0}) {
    return INT64_MAX;
  } else {
    return static_cast<A>(INFINITY);
  }
}

/// a + b and a * b; whole numbers wrap around.
__host__ __device__ inline float plus(float a, float b) { return a + b; }
__host__ __device__ inline double plus(double a, double b) { return a + b; }
__host__ __device__ inline int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
__host__ __device__ inline float times(float a, float b) { return a * b; }
__host__ __device__ inline double times(double a, double b) { return a * b; }
__host__ __device__ inline int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
__host__ __device__ inline float magnitude(float x) { return std::abs(x); }
__host__ __device__ inline double magnitude(double x) { return std::abs(x); }
__host__ __device__ inline int64_t magnitude(int64_t x) { return x < 0 ? plus(~x, 1) : x; }

template <class A>
struct Join {
  Reduction kind;
  __host__ __device__ A identity() const {
    switch (kind) {
      case Reduction::max: return lowest_value<A>();
      case Reduction::min: return highest_value<A>();
      case Reduction::product: return A{1};
      default: return A{0};
    }
  }
  __host__ __device__ A operator()(A a, A b) const {
    switch (kind) {
      case Reduction::max:
      case Reduction::nonfinite: return Max{}(a, b);
      case Reduction::min: return Min{}(a, b);
      case Reduction::product: return times(a, b);
      default: return plus(a, b);
    }
  }
  __host__ __device__ A term(A x) const {
    switch (kind) {
      case Reduction::l1: return magnitude(x);
      case Reduction::l2:
      case Reduction::squares: return times(x, x);
      case Reduction::nonfinite: return x - x == A{0} ? A{0} : A{1};
      default: return x;
    }
  }
};

template <class A>
struct ReduceGroup {
  Reduce work;

  __host__ __device__ void finish(int64_t at, A value) const {
    if (work.kind == Reduction::mean) value = value / static_cast<A>(work.reduced.count);
    if constexpr (static_cast<A>(0.5) != A{0}) {
      if (work.kind == Reduction::l2) value = std::sqrt(value);
      if (work.kind == Reduction::log_sum) value = std::log(value);
    }
    if (work.kind == Reduction::nonfinite && value == A{0}) return;  // what stood there stays
    store<A>(work.y.dtype, work.y.bytes, at, value);
  }
  __host__ __device__ A element(int64_t base, int64_t i) const {
    int64_t at[1];
    offsets_at(work.reduced, i, at);
    return load<A>(work.x.dtype, work.x.bytes, base + at[0]);
  }
  /// Elements [begin, end) of a group, every `step`th.
  __host__ __device__ A part(int64_t base, int64_t begin, int64_t end, int64_t step) const {
    const Join<A> join{work.kind};
    A value = join.identity();
    for (int64_t i = begin; i < end; i += step) value = join(value, join.term(element(base, i)));
    return value;
  }
  __host__ __device__ int64_t part_begin(int64_t part) const {
    const int64_t length = (work.reduced.count + work.splits - 1) / work.splits, begin = part * length;
    return begin < work.reduced.count ? begin : work.reduced.count;
  }

  /// A thread per group and part: part p of group g is index p * groups + g.
  __host__ __device__ void operator()(int64_t i) const {
    const int64_t group = i % work.kept.count, piece = i / work.kept.count;
    int64_t at[2];
    offsets_at(work.kept, group, at);
    const A value = part(at[1], part_begin(piece), part_begin(piece + 1), 1);
    keep(piece, group, at[0], value);
  }
  __host__ __device__ void keep(int64_t piece, int64_t group, int64_t at, A value) const {
    if (work.splits == 1) {
      finish(at, value);
    } else {
      static_cast<A*>(work.partials)[piece * work.kept.count + group] = value;
    }
  }

  /// A team per group and part: row = group * splits + part.
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t row) const {
    const int64_t group = row / work.splits, piece = row % work.splits;
    int64_t at[2];
    offsets_at(work.kept, group, at);
    const Join<A> join{work.kind};
    A value = team.reduce(part(at[1], part_begin(piece) + team.rank, part_begin(piece + 1), team.size), join);
    if (team.rank == 0) keep(piece, group, at[0], value);
  }
};

/// Joining in float with the kind known: what is done to each element must not be looked up for each.
template <Reduction kKind>
struct Fold {
  __host__ __device__ float identity() const { return Join<float>{kKind}.identity(); }
  __host__ __device__ float term(float x) const { return Join<float>{kKind}.term(x); }
  __host__ __device__ float operator()(float a, float b) const { return Join<float>{kKind}(a, b); }
};

/// The offset of a position along at most two axes.
struct Along2 {
  uint32_t factor = 1;
  uint8_t shift = 0;
  int64_t extent = 1, inner = 0, outer = 0;

  explicit Along2(const Walk<1>& walk) {
    const int last = walk.axes - 1;
    if (last < 0) return;
    extent = walk.extents[last];
    factor = walk.factors[last];
    shift = walk.shifts[last];
    inner = walk.strides[0][last];
    outer = last == 1 ? walk.strides[0][0] : 0;
  }
  __host__ __device__ int64_t at(int64_t position) const {
    const int64_t up = divided(static_cast<uint32_t>(position), factor, shift);
    return (position - up * extent) * inner + up * outer;
  }
};

/// Elements of one float dtype, kWide of them in a load, several loads under way. By rows a vector's elements are of
/// one group, by columns each is of its own.
template <class T, int kWide, Reduction kKind>
struct VectorReduce {
  static constexpr int kBatch = kWide == 1 ? 8 : 16 / kWide;
  ReduceGroup<float> group;
  Walk<2> kept;   ///< by columns: in vectors of groups
  Along2 within;  ///< by rows: in vectors
  int64_t count;  ///< positions of `within`

  __host__ __device__ int64_t part_begin(int64_t piece) const {
    const int64_t length = (count + group.work.splits - 1) / group.work.splits, begin = piece * length;
    return begin < count ? begin : count;
  }
  /// Vectors [begin, end), every `step`th, from `base` on, each lane for itself.
  __host__ __device__ void fold_lanes(int64_t base, int64_t begin, int64_t end, int64_t step,
                                      float (&value)[kWide]) const {
    const T* const elements = static_cast<const T*>(group.work.x.bytes) + base;
    unrolled<kWide>([&](int k) { value[k] = Fold<kKind>{}.identity(); });
    for (int64_t first = begin; first < end; first += step * kBatch) {
      Vector<T, kWide> raw[kBatch] = {};
      unrolled<kBatch>([&](int n) {
        if (first + n * step < end) raw[n] = load_vector<kWide>(elements + within.at(first + n * step));
      });
      unrolled<kBatch>([&](int n) {
        if (first + n * step >= end) return;
        unrolled<kWide>([&](int k) { value[k] = Fold<kKind>{}(value[k], Fold<kKind>{}.term(number(raw[n].at[k]))); });
      });
    }
  }

  /// A thread per vector of groups and part.
  __host__ __device__ void operator()(int64_t i) const {
    const int64_t first = i % kept.count, piece = i / kept.count;
    int64_t at[2];
    offsets_at(kept, first, at);
    float value[kWide];
    fold_lanes(at[1], part_begin(piece), part_begin(piece + 1), 1, value);
    unrolled<kWide>([&](int k) { group.keep(piece, first * kWide + k, at[0] + k, value[k]); });
  }
  /// A team per group and part.
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t row) const {
    const Reduce& work = group.work;
    const int64_t own = row / work.splits, piece = row % work.splits;
    int64_t at[2];
    offsets_at(work.kept, own, at);
    float value[kWide];
    fold_lanes(at[1], part_begin(piece) + team.rank, part_begin(piece + 1), team.size, value);
    unrolled<kWide - 1>([&](int k) { value[0] = Fold<kKind>{}(value[0], value[k + 1]); });
    const float all = team.reduce(value[0], Fold<kKind>{});
    if (team.rank == 0) group.keep(piece, own, at[0], all);
  }
};

/// The partial results of each group, joined by a thread, or by a team where they are many.
template <class A>
struct JoinParts {
  ReduceGroup<A> group;

  __host__ __device__ A parts(int64_t own, int64_t first, int64_t step) const {
    const Reduce& work = group.work;
    const Join<A> join{work.kind};
    A value = join.identity();
    for (int64_t piece = first; piece < work.splits; piece += step) {
      value = join(value, static_cast<const A*>(work.partials)[piece * work.kept.count + own]);
    }
    return value;
  }
  __host__ __device__ void finish(int64_t own, A value) const {
    int64_t at[2];
    offsets_at(group.work.kept, own, at);
    group.finish(at[0], value);
  }
  __host__ __device__ void operator()(int64_t own) const { finish(own, parts(own, 0, 1)); }
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t own) const {
    const A value = team.reduce(parts(own, team.rank, team.size), Join<A>{group.work.kind});
    if (team.rank == 0) finish(own, value);
  }
};

/// log sum exp, in two passes over its group.
template <class A>
struct LogSumExp {
  ReduceGroup<A> group;
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t row) const {
    const Reduce& work = group.work;
    int64_t at[2];
    offsets_at(work.kept, row, at);
    A most = lowest_value<A>();
    for (int64_t i = team.rank; i < work.reduced.count; i += team.size) most = Max{}(most, group.element(at[1], i));
    most = team.reduce(most, Max{});
    A total = 0;
    if (most - most == 0) {  // else infinite or NaN: that is the result
      for (int64_t i = team.rank; i < work.reduced.count; i += team.size)
        total += std::exp(group.element(at[1], i) - most);
    }
    total = team.reduce(total, Sum{});
    if (team.rank == 0) store<A>(work.y.dtype, work.y.bytes, at[0], most - most == 0 ? most + std::log(total) : most);
  }
};

template <class T, int kWide, Reduction kKind>
cudaError_t run_vectors(const Launcher& launcher, const Reduce& work) {
  Walk<2> kept = work.kept;
  Walk<1> reduced = work.reduced;
  if constexpr (kWide > 1) {
    if (work.columns) {
      kept = by_lanes(work.kept, kWide)->walk;
    } else {
      reduced = by_lanes(work.reduced, kWide)->walk;
    }
  }
  const VectorReduce<T, kWide, kKind> vectors{{work}, kept, Along2(reduced), reduced.count};
  if (work.columns) return for_each_element(launcher, vectors, kept.count * work.splits, 1);
  return for_each_row(launcher, vectors, work.kept.count * work.splits,
                      (work.reduced.count + work.splits - 1) / work.splits);
}

template <Reduction kKind>
cudaError_t run_vectors(const Launcher& launcher, const Reduce& work) {
  cudaError_t code = cudaErrorNotSupported;
  with_float_type(work.x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= sizeof(float)) {
      code = work.lanes > 1 && is_aligned(work.x.bytes) ? run_vectors<T, kLanesOf<T>, kKind>(launcher, work)
                                                        : run_vectors<T, 1, kKind>(launcher, work);
    }
  });
  return code;
}

/// Every group, or part of one: in vectors the reductions that training steps are full of.
template <class A>
cudaError_t run_parts(const Launcher& launcher, const Reduce& work) {
  if constexpr (std::is_same_v<A, float>) {
    if (work.reduced.axes <= 2 && work.reduced.narrow) {
      switch (work.kind) {
        case Reduction::sum:
        case Reduction::mean:
        case Reduction::log_sum: return run_vectors<Reduction::sum>(launcher, work);
        case Reduction::squares:
        case Reduction::l2: return run_vectors<Reduction::squares>(launcher, work);
        case Reduction::max: return run_vectors<Reduction::max>(launcher, work);
        case Reduction::nonfinite: return run_vectors<Reduction::nonfinite>(launcher, work);
        default: break;
      }
    }
  }
  const ReduceGroup<A> group{work};
  const int64_t pieces = work.kept.count * work.splits;
  return work.columns ? for_each_element(launcher, group, pieces, 1)
                      : for_each_row(launcher, group, pieces, (work.reduced.count + work.splits - 1) / work.splits);
}

template <class A>
cudaError_t run(const Launcher& launcher, const Reduce& work) {
  constexpr int64_t kManyParts = 32;  // ours
  const ReduceGroup<A> group{work};
  if constexpr (static_cast<A>(0.5) != A{0}) {
    if (work.kind == Reduction::log_sum_exp)
      return for_each_row(launcher, LogSumExp<A>{group}, work.kept.count, work.reduced.count);
  }
  const cudaError_t code = run_parts<A>(launcher, work);
  if (code != cudaSuccess || work.splits == 1) return code;
  if (work.splits > kManyParts) return for_each_row(launcher, JoinParts<A>{group}, work.kept.count, work.splits);
  return for_each_element(launcher, JoinParts<A>{group}, work.kept.count, 1);
}

}  // namespace

cudaError_t launch(const Launcher& launcher, const Reduce& work) {
  switch (work.arithmetic) {
    case Arithmetic::float64: return run<double>(launcher, work);
    case Arithmetic::whole: return run<int64_t>(launcher, work);
    default: return run<float>(launcher, work);
  }
}

}  // namespace engine::cuda
