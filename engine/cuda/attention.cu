// SPDX-License-Identifier: Apache-2.0
// Attention: a block per query (or per key, for its gradients). Scores of a chunk of keys are formed one per thread, then each thread
// adds its features up over the chunk. Source of the running softmax: T. Dao et al., FlashAttention, NeurIPS 2022.
#include "engine/cuda/attention.h"

#include <cmath>

#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

constexpr int kAttentionThreads = 128;

template <class A>
__host__ __device__ A get(const Data& data, int64_t offset) { return load<A>(data.dtype, data.bytes, offset); }
template <class A>
__host__ __device__ void put(const Data& data, int64_t offset, A value) { store<A>(data.dtype, data.bytes, offset, value); }

__host__ __device__ inline int64_t row_offset(const int64_t (&strides)[4], int64_t b, int64_t h, int64_t i) {
  return b * strides[0] + h * strides[1] + i * strides[2];
}

template <class A>
struct Attend {
  Attention t;

  __host__ __device__ int64_t kv_head(int64_t head) const { return head / (t.heads / t.kv_heads); }
  __host__ __device__ bool sees(int64_t i, int64_t j) const { return !t.causal || j < i + 1 + t.keys - t.queries; }
  /// The score of a pair; -infinity where the query does not see the key.
  __host__ __device__ A score(int64_t b, int64_t head, int64_t i, int64_t j) const {
    const A none = -static_cast<A>(INFINITY);
    if (!sees(i, j)) return none;
    A bias = 0;
    if (t.mask.bytes != nullptr) {
      bias = get<A>(t.mask, row_offset(t.mask_strides, b, head, i) + j * t.mask_strides[3]);
      if (t.boolean_mask && bias == 0) return none;
      if (t.boolean_mask) bias = 0;
    }
    const int64_t q = row_offset(t.q_strides, b, head, i), k = row_offset(t.k_strides, b, kv_head(head), j);
    A total = 0;
    for (int64_t d = 0; d < t.features; ++d) total += get<A>(t.q, q + d * t.q_strides[3]) * get<A>(t.k, k + d * t.k_strides[3]);
    return total * static_cast<A>(t.scale) + bias;
  }
  /// dy_i v_j.
  __host__ __device__ A value_product(int64_t b, int64_t head, int64_t i, int64_t j) const {
    const int64_t dy = row_offset(t.dy_strides, b, head, i), v = row_offset(t.v_strides, b, kv_head(head), j);
    A total = 0;
    for (int64_t e = 0; e < t.value_features; ++e) {
      total += get<A>(t.dy, dy + e * t.dy_strides[3]) * get<A>(t.v, v + e * t.v_strides[3]);
    }
    return total;
  }
  /// dy_i y_i.
  __host__ __device__ A result_product(int64_t b, int64_t head, int64_t i) const {
    const int64_t dy = row_offset(t.dy_strides, b, head, i), y = row_offset(t.y_strides, b, head, i);
    A total = 0;
    for (int64_t e = 0; e < t.value_features; ++e) {
      total += get<A>(t.dy, dy + e * t.dy_strides[3]) * get<A>(t.y, y + e * t.y_strides[3]);
    }
    return total;
  }
  __host__ __device__ A weight(int64_t b, int64_t head, int64_t i, int64_t j) const {
    const A s = score(b, head, i, j);
    return std::exp(s - get<A>(t.log_sum, b * t.sum_strides[0] + head * t.sum_strides[1] + i * t.sum_strides[2]));
  }

  /// One query forwards. `chunk`: team.size entries that all threads see.
  template <class Team>
  __host__ __device__ void forward(const Team& team, A* chunk, int64_t row) const {
    const int64_t b = row / t.queries / t.heads, head = row / t.queries % t.heads, i = row % t.queries;
    A* const sums = static_cast<A*>(t.sums) + row * t.value_features;
    for (int64_t e = team.rank; e < t.value_features; e += team.size) sums[e] = 0;
    A most = -static_cast<A>(INFINITY), total = 0;
    for (int64_t first = 0; first < t.keys; first += team.size) {
      const int64_t j = first + team.rank, count = min(int64_t{team.size}, t.keys - first);
      const A s = j < t.keys ? score(b, head, i, j) : -static_cast<A>(INFINITY);
      const A larger = team.reduce(s > most ? s : most, Max{});
      if (!(larger > -static_cast<A>(INFINITY)) && larger == larger) continue;  // nothing seen so far
      const A p = j < t.keys ? std::exp(s - larger) : A{0}, shrink = std::exp(most - larger);
      total = total * shrink + team.reduce(p, Sum{});
      most = larger;
      chunk[team.rank] = p;
      team.sync();
      for (int64_t e = team.rank; e < t.value_features; e += team.size) {
        A sum = sums[e] * shrink;
        for (int64_t n = 0; n < count; ++n) {
          sum += chunk[n] * get<A>(t.v, row_offset(t.v_strides, b, kv_head(head), first + n) + e * t.v_strides[3]);
        }
        sums[e] = sum;
      }
      team.sync();
    }
    const int64_t y = row_offset(t.y_strides, b, head, i);
    for (int64_t e = team.rank; e < t.value_features; e += team.size) put<A>(t.y, y + e * t.y_strides[3], total == 0 ? A{0} : sums[e] / total);
    if (team.rank == 0) {
      put<A>(t.log_sum, b * t.sum_strides[0] + head * t.sum_strides[1] + i * t.sum_strides[2], total == 0 ? A{0} : most + std::log(total));
    }
  }

  /// dq of one query.
  template <class Team>
  __host__ __device__ void query_gradient(const Team& team, A* chunk, int64_t row) const {
    const int64_t b = row / t.queries / t.heads, head = row / t.queries % t.heads, i = row % t.queries;
    const A both = result_product(b, head, i);
    A* const sums = static_cast<A*>(t.sums) + row * t.features;
    for (int64_t d = team.rank; d < t.features; d += team.size) sums[d] = 0;
    for (int64_t first = 0; first < t.keys; first += team.size) {
      const int64_t j = first + team.rank, count = min(int64_t{team.size}, t.keys - first);
      const A p = j < t.keys ? weight(b, head, i, j) : A{0};
      chunk[team.rank] = p == 0 ? A{0} : p * (value_product(b, head, i, j) - both);
      team.sync();
      for (int64_t d = team.rank; d < t.features; d += team.size) {
        A sum = sums[d];
        for (int64_t n = 0; n < count; ++n) {
          sum += chunk[n] * get<A>(t.k, row_offset(t.k_strides, b, kv_head(head), first + n) + d * t.k_strides[3]);
        }
        sums[d] = sum;
      }
      team.sync();
    }
    for (int64_t d = team.rank; d < t.features; d += team.size) {
      put<A>(t.dq, row_offset(t.dq_strides, b, head, i) + d * t.dq_strides[3], static_cast<A>(t.scale) * sums[d]);
    }
  }

  /// dk and dv of one key: over the queries of all heads that it serves. `chunk`: twice team.size entries.
  template <class Team>
  __host__ __device__ void key_gradient(const Team& team, A* chunk, int64_t row) const {
    const int64_t b = row / t.keys / t.kv_heads, own = row / t.keys % t.kv_heads, j = row % t.keys;
    const int64_t shared = t.heads / t.kv_heads, pairs = shared * t.queries;
    A* const dk = static_cast<A*>(t.sums) + t.batch * t.heads * t.queries * t.features + row * (t.features + t.value_features);
    A* const dv = dk + t.features;
    for (int64_t d = team.rank; d < t.features + t.value_features; d += team.size) dk[d] = 0;
    for (int64_t first = 0; first < pairs; first += team.size) {
      const int64_t pair = first + team.rank, count = min(int64_t{team.size}, pairs - first);
      const int64_t head = own * shared + pair / t.queries, i = pair % t.queries;
      const A p = pair < pairs ? weight(b, head, i, j) : A{0};
      chunk[team.rank] = p;
      chunk[team.size + team.rank] = p == 0 ? A{0} : p * (value_product(b, head, i, j) - result_product(b, head, i));
      team.sync();
      for (int64_t d = team.rank; d < t.features; d += team.size) {
        A sum = dk[d];
        for (int64_t n = 0; n < count; ++n) {
          const int64_t at = first + n;
          sum += chunk[team.size + n] * get<A>(t.q, row_offset(t.q_strides, b, own * shared + at / t.queries, at % t.queries) + d * t.q_strides[3]);
        }
        dk[d] = sum;
      }
      for (int64_t e = team.rank; e < t.value_features; e += team.size) {
        A sum = dv[e];
        for (int64_t n = 0; n < count; ++n) {
          const int64_t at = first + n;
          sum += chunk[n] * get<A>(t.dy, row_offset(t.dy_strides, b, own * shared + at / t.queries, at % t.queries) + e * t.dy_strides[3]);
        }
        dv[e] = sum;
      }
      team.sync();
    }
    for (int64_t d = team.rank; d < t.features; d += team.size) {
      put<A>(t.dk, row_offset(t.dk_strides, b, own, j) + d * t.dk_strides[3], static_cast<A>(t.scale) * dk[d]);
    }
    for (int64_t e = team.rank; e < t.value_features; e += team.size) put<A>(t.dv, row_offset(t.dv_strides, b, own, j) + e * t.dv_strides[3], dv[e]);
  }
};

/// dmask: each of its elements is the sum over all pairs it was repeated to.
template <class A>
struct MaskGradient {
  Attend<A> attend;
  __host__ __device__ void operator()(int64_t e) const {
    const Attention& t = attend.t;
    int64_t own[4], rest = e, to = 0;
    const int64_t full[4] = {t.batch, t.heads, t.queries, t.keys};
    int64_t begin[4], end[4];
    for (int axis = 3; axis >= 0; --axis) {
      own[axis] = rest % t.mask_extents[axis];
      rest /= t.mask_extents[axis];
      to += own[axis] * t.dmask_strides[axis];
      begin[axis] = t.mask_extents[axis] == 1 ? 0 : own[axis];
      end[axis] = t.mask_extents[axis] == 1 ? full[axis] : own[axis] + 1;
    }
    A total = 0;
    for (int64_t b = begin[0]; b < end[0]; ++b) {
      for (int64_t h = begin[1]; h < end[1]; ++h) {
        for (int64_t i = begin[2]; i < end[2]; ++i) {
          const A both = attend.result_product(b, h, i);
          for (int64_t j = begin[3]; j < end[3]; ++j) {
            const A p = attend.weight(b, h, i, j);
            if (p != 0) total += p * (attend.value_product(b, h, i, j) - both);
          }
        }
      }
    }
    put<A>(t.dmask, to, total);
  }
};

enum class Pass { forward, queries, keys };

template <class A, Pass kPass, class Team>
__host__ __device__ void pass(const Attend<A>& attend, const Team& team, A* chunk, int64_t row) {
  if constexpr (kPass == Pass::forward) attend.forward(team, chunk, row);
  if constexpr (kPass == Pass::queries) attend.query_gradient(team, chunk, row);
  if constexpr (kPass == Pass::keys) attend.key_gradient(team, chunk, row);
}

template <class A, Pass kPass>
__global__ void __launch_bounds__(kAttentionThreads) attention_kernel(const __grid_constant__ Attend<A> attend, int64_t rows) {
  __shared__ double scratch[kAttentionThreads / kWarp];
  __shared__ A chunk[2 * kAttentionThreads];
  const BlockTeam team{static_cast<int>(threadIdx.x), kAttentionThreads, scratch};
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) pass<A, kPass>(attend, team, chunk, row);
}

template <class A, Pass kPass>
cudaError_t start(const Launcher& launcher, const Attend<A>& attend, int64_t rows) {
  if (launcher.on_host) {
    A chunk[2];
    for (int64_t row = 0; row < rows; ++row) pass<A, kPass>(attend, OneThread{}, chunk, row);
    return cudaSuccess;
  }
  if (rows == 0) return cudaSuccess;
  const int64_t blocks = blocks_for(rows, 1, 1, launcher.multiprocessors);
  return start_kernel<attention_kernel<A, kPass>>(launcher.stream, blocks, kAttentionThreads, attend, rows);
}

template <class A>
cudaError_t run(const Launcher& launcher, const Attention& t) {
  const Attend<A> attend{t};
  const int64_t rows = t.batch * t.heads * t.queries;
  if (!t.gradient) return start<A, Pass::forward>(launcher, attend, rows);
  cudaError_t code = start<A, Pass::queries>(launcher, attend, rows);
  if (code == cudaSuccess) code = start<A, Pass::keys>(launcher, attend, t.batch * t.kv_heads * t.keys);
  if (code != cudaSuccess || t.dmask.bytes == nullptr) return code;
  int64_t elements = 1;
  for (const int64_t extent : t.mask_extents) elements *= extent;
  return for_each_element(launcher, MaskGradient<A>{attend}, elements, 1);
}

}  // namespace

int64_t sums_elements(const Attention& t) {
  if (!t.gradient) return t.batch * t.heads * t.queries * t.value_features;
  return t.batch * t.heads * t.queries * t.features + t.batch * t.kv_heads * t.keys * (t.features + t.value_features);
}

cudaError_t launch(const Launcher& launcher, const Attention& t) { return t.wide ? run<double>(launcher, t) : run<float>(launcher, t); }

}  // namespace engine::cuda
