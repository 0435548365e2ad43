// SPDX-License-Identifier: Apache-2.0
// Two sums over each of many groups: the statistics of normalisations and their gradients. As in reduce.cu, long groups
// are cut into parts that are joined in a fixed order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cuda/teams.cuh"

namespace engine::cuda {

/// How groups are spread, and room for [part][group] pairs.
struct SumPlan {
  bool columns = false;  ///< neighbouring groups are neighbours in memory
  int64_t parts = 1;
  void* pairs = nullptr;
};

// F gives groups, length, Value, and
//   Pair term(group, i)        both terms of one element
//   void finish(group, Pair)   takes the sums

template <class Value>
struct Pair {
  Value first, second;
  __host__ __device__ Pair& operator+=(const Pair& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

template <class F>
struct GroupSums {
  F f;
  SumPlan plan;
  using Value = typename F::Value;

  __host__ __device__ int64_t part_begin(int64_t part) const {
    const int64_t length = (f.length + plan.parts - 1) / plan.parts, begin = part * length;
    return begin < f.length ? begin : f.length;
  }
  __host__ __device__ void keep(int64_t part, int64_t group, const Pair<Value>& sums) const {
    if (plan.parts == 1) {
      f.finish(group, sums);
    } else {
      static_cast<Pair<Value>*>(plan.pairs)[part * f.groups + group] = sums;
    }
  }
  /// A thread per group and part, groups side by side.
  __host__ __device__ void operator()(int64_t e) const {
    const int64_t group = e % f.groups, part = e / f.groups;
    Pair<Value> sums{};
    for (int64_t i = part_begin(part); i < part_begin(part + 1); ++i) sums += f.term(group, i);
    keep(part, group, sums);
  }
  /// A team per group and part.
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t row) const {
    const int64_t group = row / plan.parts, part = row % plan.parts;
    Pair<Value> sums{};
    for (int64_t i = part_begin(part) + team.rank; i < part_begin(part + 1); i += team.size) sums += f.term(group, i);
    sums.first = team.reduce(sums.first, Sum{});
    sums.second = team.reduce(sums.second, Sum{});
    if (team.rank == 0) keep(part, group, sums);
  }
};

template <class F>
struct JoinSums {
  GroupSums<F> work;
  __host__ __device__ void operator()(int64_t group) const {
    Pair<typename F::Value> sums{};
    for (int64_t part = 0; part < work.plan.parts; ++part) {
      sums += static_cast<const Pair<typename F::Value>*>(work.plan.pairs)[part * work.f.groups + group];
    }
    work.f.finish(group, sums);
  }
};

template <class F>
cudaError_t sum_groups(const Launcher& launcher, const F& f, const SumPlan& plan) {
  const GroupSums<F> work{f, plan};
  const int64_t pieces = f.groups * plan.parts;
  const cudaError_t code = plan.columns
                               ? for_each_element(launcher, work, pieces, 1)
                               : for_each_row(launcher, work, pieces, (f.length + plan.parts - 1) / plan.parts);
  if (code != cudaSuccess || plan.parts == 1) return code;
  return for_each_element(launcher, JoinSums<F>{work}, f.groups, 1);
}

}  // namespace engine::cuda
