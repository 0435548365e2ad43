// SPDX-License-Identifier: Apache-2.0
// Dense lines that are read once: a team holds its line in registers, as many teams in a block as its length allows.
// Lines that are too long for that are streamed, several loads of each thread under way at a time.
#pragma once

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {

/// One line over a team: thread `rank` holds elements [(piece size + rank) kWide, ...) of each piece, kHeld in all.
template <class T, int kWide, int kHeld>
struct HeldLine {
  static constexpr int kPieces = kHeld / kWide;
  static_assert(kPieces >= 1);
  float at[kHeld];

  template <class Team>
  __host__ __device__ static int first(const Team& team, int piece) {
    return (piece * team.size + team.rank) * kWide;
  }

  /// All loads before the first use. `length`: a multiple of kWide.
  template <class Team>
  __host__ __device__ void load(const Team& team, const T* line, int length) {
    Vector<T, kWide> raw[kPieces] = {};
    unrolled<kPieces>([&](int piece) {
      if (first(team, piece) < length) raw[piece] = load_vector<kWide>(line + first(team, piece));
    });
    unrolled<kPieces>(
        [&](int piece) { unrolled<kWide>([&](int k) { at[piece * kWide + k] = number(raw[piece].at[k]); }); });
  }
  /// f(value) for each element of this thread.
  template <class Team, class F>
  __host__ __device__ void visit(const Team& team, int length, const F& f) {
    unrolled<kPieces>([&](int piece) {
      if (first(team, piece) < length) unrolled<kWide>([&](int k) { f(at[piece * kWide + k]); });
    });
  }
  template <class Team>
  __host__ __device__ void store(const Team& team, T* line, int length) const {
    unrolled<kPieces>([&](int piece) {
      if (first(team, piece) >= length) return;
      Vector<T, kWide> raw;
      unrolled<kWide>([&](int k) { raw.at[k] = rounded<T>(at[piece * kWide + k]); });
      store_vector<kWide>(line + first(team, piece), raw);
    });
  }
};

/// f(i, elements i and up) for each vector of a line, in any order: kBatch loads, then kBatch calls.
template <int kWide, int kBatch, class T, class Team, class F>
__host__ __device__ void stream_line(const Team& team, const T* line, int64_t length, const F& f) {
  const int64_t step = int64_t{team.size} * kWide;
  for (int64_t first = int64_t{team.rank} * kWide; first < length; first += step * kBatch) {
    Vector<T, kWide> raw[kBatch] = {};
    unrolled<kBatch>([&](int n) {
      if (first + n * step < length) raw[n] = load_vector<kWide>(line + first + n * step);
    });
    unrolled<kBatch>([&](int n) {
      if (first + n * step < length) f(first + n * step, raw[n]);
    });
  }
}

// F gives kWide, kHeld and
//   void held(team, row, active)   a line that the team's registers hold; where not active, it takes part in
//   collectives alone void streamed(team, row)       a longer one

template <class F, int kLanes>
__global__ void __launch_bounds__(kElementThreads) lane_lines_kernel(const __grid_constant__ F f, int64_t lines) {
  const LaneTeam<kLanes> team{static_cast<int>(threadIdx.x % kLanes)};
  constexpr int kTeams = kElementThreads / kLanes, kTogether = kWarp / kLanes;
  const int64_t within = threadIdx.x % kWarp / kLanes;
  for (int64_t first = int64_t{blockIdx.x} * kTeams + threadIdx.x / kWarp * kTogether; first < lines;
       first += int64_t{gridDim.x} * kTeams) {
    f.held(team, first + within, first + within < lines);
  }
}

inline constexpr int kMostLineThreads = 1024;

template <class F, bool kStreamed>
__global__ void __launch_bounds__(kMostLineThreads) block_lines_kernel(const __grid_constant__ F f, int64_t lines) {
  __shared__ double scratch[kMostLineThreads / kWarp];
  const BlockTeam team{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), scratch};
  for (int64_t line = blockIdx.x; line < lines; line += gridDim.x) {
    if constexpr (kStreamed) {
      f.streamed(team, line);
    } else {
      f.held(team, line, true);
    }
  }
}

/// Not on the host, where no team is large enough: the kernels for lines that lie in any way do there.
template <class F>
cudaError_t for_each_line(const Launcher& launcher, const F& f, int64_t lines, int64_t length) {
  constexpr int64_t kFew = 8, kHeldByWarp = int64_t{kWarp} * F::kHeld;
  if (lines == 0 || length == 0) return cudaSuccess;
  const int64_t spread = blocks_for(lines, 1, 1, launcher.multiprocessors);
  if (length > kMostLineThreads * F::kHeld) {
    return start_kernel<block_lines_kernel<F, true>>(launcher.stream, spread, kMostLineThreads, f, lines);
  }
  if (length > kHeldByWarp) {
    int64_t threads = kWarp;
    while (threads * F::kHeld < length) threads *= 2;
    return start_kernel<block_lines_kernel<F, false>>(launcher.stream, spread, threads, f, lines);
  }
  if constexpr (F::kWide > 1) {
    if (length <= kFew * F::kHeld) {
      const int64_t blocks = blocks_for(lines, kElementThreads / kFew, 1, launcher.multiprocessors);
      return start_kernel<lane_lines_kernel<F, kFew>>(launcher.stream, blocks, kElementThreads, f, lines);
    }
  }
  const int64_t blocks = blocks_for(lines, kElementThreads / kWarp, 1, launcher.multiprocessors);
  return start_kernel<lane_lines_kernel<F, kWarp>>(launcher.stream, blocks, kElementThreads, f, lines);
}

/// Whether lines that begin where `begins` says may be read kWidest bytes at a time.
template <int N>
bool lines_are_aligned(const Walk<N>& begins, int operand, const void* base, int64_t length, int64_t lanes) {
  bool aligned = is_aligned(base) && length % lanes == 0;
  for (int axis = 0; axis < begins.axes; ++axis) aligned = aligned && begins.strides[operand][axis] % lanes == 0;
  return aligned;
}

}  // namespace engine::cuda
