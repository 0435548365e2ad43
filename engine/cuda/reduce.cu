// SPDX-License-Identifier: Apache-2.0
// Reductions: a team per group, or, where groups lie side by side, a thread per group; long groups in parts. No atomics: the order
// of a sum depends on shapes alone.
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
__host__ __device__ inline int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
__host__ __device__ inline float times(float a, float b) { return a * b; }
__host__ __device__ inline double times(double a, double b) { return a * b; }
__host__ __device__ inline int64_t times(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }
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
      case Reduction::max: case Reduction::nonfinite: return Max{}(a, b);
      case Reduction::min: return Min{}(a, b);
      case Reduction::product: return times(a, b);
      default: return plus(a, b);
    }
  }
  __host__ __device__ A term(A x) const {
    switch (kind) {
      case Reduction::l1: return magnitude(x);
      case Reduction::l2: case Reduction::squares: return times(x, x);
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

/// The partial results of each group, joined.
template <class A>
struct JoinParts {
  ReduceGroup<A> group;
  __host__ __device__ void operator()(int64_t i) const {
    const Reduce& work = group.work;
    const Join<A> join{work.kind};
    A value = join.identity();
    for (int64_t piece = 0; piece < work.splits; ++piece) {
      value = join(value, static_cast<const A*>(work.partials)[piece * work.kept.count + i]);
    }
    int64_t at[2];
    offsets_at(work.kept, i, at);
    group.finish(at[0], value);
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
      for (int64_t i = team.rank; i < work.reduced.count; i += team.size) total += std::exp(group.element(at[1], i) - most);
    }
    total = team.reduce(total, Sum{});
    if (team.rank == 0) store<A>(work.y.dtype, work.y.bytes, at[0], most - most == 0 ? most + std::log(total) : most);
  }
};

template <class A>
cudaError_t run(const Launcher& launcher, const Reduce& work) {
  const ReduceGroup<A> group{work};
  if constexpr (static_cast<A>(0.5) != A{0}) {
    if (work.kind == Reduction::log_sum_exp) return for_each_row(launcher, LogSumExp<A>{group}, work.kept.count, work.reduced.count);
  }
  const int64_t pieces = work.kept.count * work.splits;
  const cudaError_t code =
      work.columns ? for_each_element(launcher, group, pieces, 1)
                   : for_each_row(launcher, group, pieces, (work.reduced.count + work.splits - 1) / work.splits);
  if (code != cudaSuccess || work.splits == 1) return code;
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
