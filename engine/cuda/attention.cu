// SPDX-License-Identifier: Apache-2.0
// Attention: a block per 64 queries (or keys, for their gradients), and, where there are few queries, many features or
// doubles, a block per query: scores of a chunk of keys are formed one per thread, then each thread adds its features
// up over the chunk. Source of the running softmax: T. Dao et al., FlashAttention, NeurIPS 2022.
#include "engine/cuda/attention.h"

#include <cmath>

#include "engine/cuda/attention_tiles.cuh"
#include "engine/cuda/numbers.cuh"
#include "engine/cuda/teams.cuh"

namespace engine::cuda {
namespace {

constexpr int kAttentionThreads = 128;

template <class A>
__host__ __device__ A get(const Data& data, int64_t offset) {
  return load<A>(data.dtype, data.bytes, offset);
}
template <class A>
__host__ __device__ void put(const Data& data, int64_t offset, A value) {
  store<A>(data.dtype, data.bytes, offset, value);
}

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
    for (int64_t d = 0; d < t.features; ++d)
      total += get<A>(t.q, q + d * t.q_strides[3]) * get<A>(t.k, k + d * t.k_strides[3]);
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
    for (int64_t e = team.rank; e < t.value_features; e += team.size)
      put<A>(t.y, y + e * t.y_strides[3], total == 0 ? A{0} : sums[e] / total);
    if (team.rank == 0) {
      put<A>(t.log_sum, b * t.sum_strides[0] + head * t.sum_strides[1] + i * t.sum_strides[2],
             total == 0 ? A{0} : most + std::log(total));
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
    A* const dk =
        static_cast<A*>(t.sums) + t.batch * t.heads * t.queries * t.features + row * (t.features + t.value_features);
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
          sum += chunk[team.size + n] *
                 get<A>(t.q,
                        row_offset(t.q_strides, b, own * shared + at / t.queries, at % t.queries) + d * t.q_strides[3]);
        }
        dk[d] = sum;
      }
      for (int64_t e = team.rank; e < t.value_features; e += team.size) {
        A sum = dv[e];
        for (int64_t n = 0; n < count; ++n) {
          const int64_t at = first + n;
          sum += chunk[n] * get<A>(t.dy, row_offset(t.dy_strides, b, own * shared + at / t.queries, at % t.queries) +
                                             e * t.dy_strides[3]);
        }
        dv[e] = sum;
      }
      team.sync();
    }
    for (int64_t d = team.rank; d < t.features; d += team.size) {
      put<A>(t.dk, row_offset(t.dk_strides, b, own, j) + d * t.dk_strides[3], static_cast<A>(t.scale) * dk[d]);
    }
    for (int64_t e = team.rank; e < t.value_features; e += team.size)
      put<A>(t.dv, row_offset(t.dv_strides, b, own, j) + e * t.dv_strides[3], dv[e]);
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
__global__ void __launch_bounds__(kAttentionThreads)
    attention_kernel(const __grid_constant__ Attend<A> attend, int64_t rows) {
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

// ---- tiles
// -----------------------------------------------------------------------------------------------------------------------

template <class T>
__device__ TileRows<T> tile_rows(const Data& data, const int64_t (&strides)[4], int64_t b, int64_t head,
                                 int64_t count) {
  return {static_cast<const T*>(data.bytes) + row_offset(strides, b, head, 0), strides[2], strides[3], count};
}

/// What a score becomes in the softmax: scaled, with the mask's bias; -infinity where the query does not see the key.
__device__ inline float seen_score(const Attention& t, int64_t b, int64_t head, int64_t i, int64_t j, float product) {
  const float none = -INFINITY;
  if (i >= t.queries || j >= t.keys || (t.causal && j >= i + 1 + t.keys - t.queries)) return none;
  if (t.mask.bytes == nullptr) return product * static_cast<float>(t.scale);
  const float bias = get<float>(t.mask, row_offset(t.mask_strides, b, head, i) + j * t.mask_strides[3]);
  if (t.boolean_mask) return bias == 0 ? none : product * static_cast<float>(t.scale);
  return product * static_cast<float>(t.scale) + bias;
}

__device__ inline int64_t sum_offset(const Attention& t, int64_t b, int64_t head, int64_t i) {
  return b * t.sum_strides[0] + head * t.sum_strides[1] + i * t.sum_strides[2];
}

/// Keys that a tile's last query sees.
__device__ inline int64_t keys_seen(const Attention& t, int64_t first) {
  const int64_t last = min(first + kTileSide, t.queries) - 1;
  return t.causal ? max(int64_t{0}, min(t.keys, last + 1 + t.keys - t.queries)) : t.keys;
}

template <class T, int kGroups>
__global__ void __launch_bounds__(kTileThreads) forward_tiles_kernel(const __grid_constant__ Attention t) {
  __shared__ TileMemory memory;
  const TilePlace place(static_cast<int>(threadIdx.x));
  const int64_t tiles = (t.queries + kTileSide - 1) / kTileSide, own = blockIdx.x / tiles,
                first = blockIdx.x % tiles * kTileSide;
  const int64_t b = own / t.heads, head = own % t.heads, kv_head = head / (t.heads / t.kv_heads),
                end = keys_seen(t, first);
  const auto q = tile_rows<T>(t.q, t.q_strides, b, head, t.queries),
             k = tile_rows<T>(t.k, t.k_strides, b, kv_head, t.keys),
             v = tile_rows<T>(t.v, t.v_strides, b, kv_head, t.keys);
  float sums[4][kGroups][4] = {}, most[4], total[4] = {};
  unrolled<4>([&](int i) { most[i] = -INFINITY; });
  for (int64_t j0 = 0; j0 < end; j0 += kTileSide) {
    float p[4][4];
    multiply_rows(memory, place, q, first, k, j0, t.features, p);
    unrolled<4>([&](int i) {
      float larger = most[i];
      unrolled<4>([&](int j) {
        p[i][j] = seen_score(t, b, head, first + 4 * place.y + i, j0 + 4 * place.x + j, p[i][j]);
        larger = Max{}(larger, p[i][j]);
      });
      larger = place.row_team().reduce(larger, Max{});
      const bool nothing = larger == -INFINITY;
      float sum = 0;
      unrolled<4>([&](int j) {
        p[i][j] = nothing ? 0.0f : std::exp(p[i][j] - larger);
        sum += p[i][j];
        memory.weights[4 * place.y + i][4 * place.x + j] = p[i][j];
      });
      const float shrink = nothing ? 1.0f : std::exp(most[i] - larger);
      total[i] = total[i] * shrink + place.row_team().reduce(sum, Sum{});
      most[i] = larger;
      unrolled<kGroups>([&](int g) { unrolled<4>([&](int n) { sums[i][g][n] *= shrink; }); });
    });
    add_weighted_rows(memory, place, v, j0, t.value_features, sums);
  }
  T* const y = static_cast<T*>(t.y.bytes) + row_offset(t.y_strides, b, head, 0);
  write_rows(place, y, t.y_strides[2], t.y_strides[3], first, t.queries, t.value_features, sums,
             [&](int i) { return total[i] == 0 ? 0.0f : 1 / total[i]; });
  unrolled<4>([&](int i) {
    const int64_t row = first + 4 * place.y + i;
    if (place.x == 0 && row < t.queries)
      put<float>(t.log_sum, sum_offset(t, b, head, row), total[i] == 0 ? 0.0f : most[i] + std::log(total[i]));
  });
}

/// dy_i y_i of every query, for both gradients.
struct ResultProducts {
  Attend<float> attend;
  template <class Team>
  __host__ __device__ void operator()(const Team& team, int64_t row) const {
    const Attention& t = attend.t;
    const int64_t b = row / t.queries / t.heads, head = row / t.queries % t.heads, i = row % t.queries;
    const int64_t dy = row_offset(t.dy_strides, b, head, i), y = row_offset(t.y_strides, b, head, i);
    float sum = 0;
    for (int64_t e = team.rank; e < t.value_features; e += team.size) {
      sum += get<float>(t.dy, dy + e * t.dy_strides[3]) * get<float>(t.y, y + e * t.y_strides[3]);
    }
    sum = team.reduce(sum, Sum{});
    if (team.rank == 0) static_cast<float*>(t.sums)[row] = sum;
  }
};

template <class T, int kGroups>
__global__ void __launch_bounds__(kTileThreads) query_tiles_kernel(const __grid_constant__ Attention t) {
  __shared__ TileMemory memory;
  const TilePlace place(static_cast<int>(threadIdx.x));
  const int64_t tiles = (t.queries + kTileSide - 1) / kTileSide, own = blockIdx.x / tiles,
                first = blockIdx.x % tiles * kTileSide;
  const int64_t b = own / t.heads, head = own % t.heads, kv_head = head / (t.heads / t.kv_heads),
                end = keys_seen(t, first);
  const auto q = tile_rows<T>(t.q, t.q_strides, b, head, t.queries),
             dy = tile_rows<T>(t.dy, t.dy_strides, b, head, t.queries),
             k = tile_rows<T>(t.k, t.k_strides, b, kv_head, t.keys),
             v = tile_rows<T>(t.v, t.v_strides, b, kv_head, t.keys);
  float sums[4][kGroups][4] = {}, log_sum[4], both[4];
  unrolled<4>([&](int i) {
    const int64_t row = min(first + 4 * place.y + i, t.queries - 1);
    log_sum[i] = get<float>(t.log_sum, sum_offset(t, b, head, row));
    both[i] = static_cast<const float*>(t.sums)[own * t.queries + row];
  });
  for (int64_t j0 = 0; j0 < end; j0 += kTileSide) {
    float p[4][4], products[4][4];
    multiply_rows(memory, place, q, first, k, j0, t.features, p);
    multiply_rows(memory, place, dy, first, v, j0, t.value_features, products);
    unrolled<4>([&](int i) {
      unrolled<4>([&](int j) {
        const float weight =
            std::exp(seen_score(t, b, head, first + 4 * place.y + i, j0 + 4 * place.x + j, p[i][j]) - log_sum[i]);
        memory.weights[4 * place.y + i][4 * place.x + j] = weight == 0 ? 0.0f : weight * (products[i][j] - both[i]);
      });
    });
    add_weighted_rows(memory, place, k, j0, t.features, sums);
  }
  T* const dq = static_cast<T*>(t.dq.bytes) + row_offset(t.dq_strides, b, head, 0);
  write_rows(place, dq, t.dq_strides[2], t.dq_strides[3], first, t.queries, t.features, sums,
             [&](int) { return static_cast<float>(t.scale); });
}

template <class T, int kGroups>
__global__ void __launch_bounds__(kTileThreads) key_tiles_kernel(const __grid_constant__ Attention t) {
  __shared__ TileMemory memory;
  const TilePlace place(static_cast<int>(threadIdx.x));
  const int64_t tiles = (t.keys + kTileSide - 1) / kTileSide, own = blockIdx.x / tiles,
                first = blockIdx.x % tiles * kTileSide;
  const int64_t b = own / t.kv_heads, kv_head = own % t.kv_heads, shared = t.heads / t.kv_heads;
  const auto k = tile_rows<T>(t.k, t.k_strides, b, kv_head, t.keys),
             v = tile_rows<T>(t.v, t.v_strides, b, kv_head, t.keys);
  const int64_t blind = t.causal ? max(int64_t{0}, first - (t.keys - t.queries)) / kTileSide * kTileSide
                                 : 0;  // queries that see none of these keys
  float dk_sums[4][kGroups][4] = {}, dv_sums[4][kGroups][4] = {};
  for (int64_t head = kv_head * shared; head < (kv_head + 1) * shared; ++head) {
    const auto q = tile_rows<T>(t.q, t.q_strides, b, head, t.queries),
               dy = tile_rows<T>(t.dy, t.dy_strides, b, head, t.queries);
    for (int64_t i0 = blind; i0 < t.queries; i0 += kTileSide) {
      float p[4][4], products[4][4];
      multiply_rows(memory, place, k, first, q, i0, t.features, p);
      multiply_rows(memory, place, v, first, dy, i0, t.value_features, products);
      unrolled<4>([&](int i) {  // of its queries, which are columns here
        const int64_t query = i0 + 4 * place.x + i, row = min(query, t.queries - 1);
        const float log_sum = get<float>(t.log_sum, sum_offset(t, b, head, row));
        const float both = static_cast<const float*>(t.sums)[(b * t.heads + head) * t.queries + row];
        unrolled<4>([&](int j) {
          const float weight = std::exp(seen_score(t, b, head, query, first + 4 * place.y + j, p[j][i]) - log_sum);
          memory.weights[4 * place.y + j][4 * place.x + i] = weight;
          products[j][i] = weight == 0 ? 0.0f : weight * (products[j][i] - both);
        });
      });
      add_weighted_rows(memory, place, dy, i0, t.value_features, dv_sums);
      __syncthreads();  // the weights have been read
      unrolled<4>([&](int i) {
        unrolled<4>([&](int j) { memory.weights[4 * place.y + j][4 * place.x + i] = products[j][i]; });
      });
      add_weighted_rows(memory, place, q, i0, t.features, dk_sums);
    }
  }
  T* const dk = static_cast<T*>(t.dk.bytes) + row_offset(t.dk_strides, b, kv_head, 0);
  T* const dv = static_cast<T*>(t.dv.bytes) + row_offset(t.dv_strides, b, kv_head, 0);
  write_rows(place, dk, t.dk_strides[2], t.dk_strides[3], first, t.keys, t.features, dk_sums,
             [&](int) { return static_cast<float>(t.scale); });
  write_rows(place, dv, t.dv_strides[2], t.dv_strides[3], first, t.keys, t.value_features, dv_sums,
             [](int) { return 1.0f; });
}

template <class T, int kGroups>
cudaError_t run_tiles(const Launcher& launcher, const Attention& t) {
  const int64_t query_blocks = (t.queries + kTileSide - 1) / kTileSide * t.batch * t.heads;
  const int64_t key_blocks = (t.keys + kTileSide - 1) / kTileSide * t.batch * t.kv_heads;
  if (query_blocks == 0) return cudaSuccess;
  if (!t.gradient)
    return start_kernel<forward_tiles_kernel<T, kGroups>>(launcher.stream, query_blocks, kTileThreads, t);
  cudaError_t code = for_each_row(launcher, ResultProducts{{t}}, t.batch * t.heads * t.queries, t.value_features);
  if (code == cudaSuccess)
    code = start_kernel<query_tiles_kernel<T, kGroups>>(launcher.stream, query_blocks, kTileThreads, t);
  return code != cudaSuccess ? code
                             : start_kernel<key_tiles_kernel<T, kGroups>>(launcher.stream, key_blocks, kTileThreads, t);
}

cudaError_t run_tiles(const Launcher& launcher, const Attention& t) {
  cudaError_t code = cudaErrorNotSupported;
  with_float_type(t.q.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= sizeof(float)) {
      const int64_t features = t.gradient ? max(t.features, t.value_features) : t.value_features;
      code = features <= kTileSide ? run_tiles<T, 1>(launcher, t) : run_tiles<T, 2>(launcher, t);
    }
  });
  return code;
}

// ----------------------------------------------------------------------------------------------------------------------------------

template <class A>
cudaError_t run(const Launcher& launcher, const Attention& t) {
  const Attend<A> attend{t};
  const int64_t rows = t.batch * t.heads * t.queries;
  if (t.tiled) {
    if (const cudaError_t code = run_tiles(launcher, t); code != cudaSuccess || !t.gradient) return code;
  } else if (!t.gradient) {
    return start<A, Pass::forward>(launcher, attend, rows);
  } else {
    cudaError_t code = start<A, Pass::queries>(launcher, attend, rows);
    if (code == cudaSuccess) code = start<A, Pass::keys>(launcher, attend, t.batch * t.kv_heads * t.keys);
    if (code != cudaSuccess) return code;
  }
  if (t.dmask.bytes == nullptr) return cudaSuccess;
  int64_t elements = 1;
  for (const int64_t extent : t.mask_extents) elements *= extent;
  return for_each_element(launcher, MaskGradient<A>{attend}, elements, 1);
}

}  // namespace

int64_t sums_elements(const Attention& t) {
  if (t.tiled) return t.gradient ? t.batch * t.heads * t.queries : 0;
  if (!t.gradient) return t.batch * t.heads * t.queries * t.value_features;
  return t.batch * t.heads * t.queries * t.features + t.batch * t.kv_heads * t.keys * (t.features + t.value_features);
}

cudaError_t launch(const Launcher& launcher, const Attention& t) {
  return t.wide ? run<double>(launcher, t) : run<float>(launcher, t);
}

}  // namespace engine::cuda
