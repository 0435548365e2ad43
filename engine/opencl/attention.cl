// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention and its gradient. The weights exp(score) / sum of a step lie in scratch memory, row by
// row: [batch, heads, queries, keys].

// engine/opencl/attention.cpp. Axes of q, y, dy: B H S D; of k, v: B G T D.
typedef struct {
  long heads, kv_heads, queries, keys, features, value_features, causal;
  long q[4], k[4], v[4], y[4], dy[4], dq[4], dk[4], dv[4];  // strides
  long log_sum[3], mask[4], mask_kind;                      // 0: none, 1: added, 2: bool
  long count;
} geometry;

// A query among all.
typedef struct {
  long batch, head, query, kv_head;
} row_place;

row_place row_of(constant const geometry* g, const long row) {
  const long line = row / g->queries, head = line % g->heads;
  const row_place r = {line / g->heads, head, row - line * g->queries, head / (g->heads / g->kv_heads)};
  return r;
}

long visible(constant const geometry* g, const long query) {
  return g->causal ? clamp(query + 1 + g->keys - g->queries, 0L, g->keys) : g->keys;
}

long row_in(constant const long* strides, const long batch, const long head, const long row) {
  return batch * strides[0] + head * strides[1] + row * strides[2];
}

// Score of a query and key j; -infinity where it does not see it.
real score_of(constant const geometry* g, global const real* q, global const real* k, global const MASK* mask,
              const row_place r, const long j, const real scale) {
  if (j >= visible(g, r.query)) return -INFINITY;
  const long m = r.batch * g->mask[0] + r.head * g->mask[1] + r.query * g->mask[2] + j * g->mask[3];
  if (g->mask_kind == 2 && mask[m] == 0) return -INFINITY;
  const long of_q = row_in(g->q, r.batch, r.head, r.query), of_k = row_in(g->k, r.batch, r.kv_head, j);
  real total = 0;
  for (long d = 0; d < g->features; ++d) total += q[of_q + d * g->q[3]] * k[of_k + d * g->k[3]];
  return total * scale + (g->mask_kind == 1 ? (real)mask[m] : (real)0);
}

// A group per query.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void attention_weights(global real* weights, const long weights0, global real* log_sum, const long log_sum0,
                       global const real* q, const long q0, global const real* k, const long k0,
                       global const MASK* mask, const long mask0, const real scale, constant const geometry* g) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  const row_place r = row_of(g, get_group_id(0));
  const long row = weights0 + (long)get_group_id(0) * g->keys;
  real largest = -INFINITY;
  for (long j = item; j < g->keys; j += GROUP) {
    const real score = score_of(g, q + q0, k + k0, mask + mask0, r, j, scale);
    weights[row + j] = score;
    largest = larger(largest, score);
  }
  largest = group_larger(largest, scratch);
  const int sees = largest != -INFINITY;
  real total = 0;
  for (long j = item; j < g->keys; j += GROUP) {
    const real weight = sees ? exp(weights[row + j] - largest) : (real)0;
    weights[row + j] = weight;
    total += weight;
  }
  total = group_sum(total, scratch);
  for (long j = item; j < g->keys; j += GROUP) {
    if (sees) weights[row + j] /= total;
  }
  if (item == 0) {
    log_sum[log_sum0 + r.batch * g->log_sum[0] + r.head * g->log_sum[1] + r.query * g->log_sum[2]] =
        sees ? largest + log(total) : (real)0;
  }
}

// y = weights v: a work-item per element.
kernel void attention_values(global real* y, const long y0, global const real* weights, const long weights0,
                             global const real* v, const long v0, constant const geometry* g) {
  const long i = get_global_id(0);
  if (i >= g->count) return;
  const long row = i / g->value_features, e = i - row * g->value_features;
  const row_place r = row_of(g, row);
  const long first = v0 + row_in(g->v, r.batch, r.kv_head, 0) + e * g->v[3];
  real total = 0;
  for (long j = 0; j < visible(g, r.query); ++j) total += weights[weights0 + row * g->keys + j] * v[first + j * g->v[2]];
  y[y0 + row_in(g->y, r.batch, r.head, r.query) + e * g->y[3]] = total;
}

// Weights again, and ds = p (dy v - dy y): a group per query.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void attention_slopes(global real* weights, const long weights0, global real* slopes, const long slopes0,
                      global const real* q, const long q0, global const real* k, const long k0, global const real* v,
                      const long v0, global const real* y, const long y0, global const real* dy, const long dy0,
                      global const real* log_sum, const long log_sum0, global const MASK* mask, const long mask0,
                      const real scale, constant const geometry* g) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  const row_place r = row_of(g, get_group_id(0));
  const long row = (long)get_group_id(0) * g->keys;
  const long of_y = y0 + row_in(g->y, r.batch, r.head, r.query), of_dy = dy0 + row_in(g->dy, r.batch, r.head, r.query);
  real both = 0;
  for (long e = item; e < g->value_features; e += GROUP) both += dy[of_dy + e * g->dy[3]] * y[of_y + e * g->y[3]];
  both = group_sum(both, scratch);
  const real logarithm =
      log_sum[log_sum0 + r.batch * g->log_sum[0] + r.head * g->log_sum[1] + r.query * g->log_sum[2]];
  for (long j = item; j < g->keys; j += GROUP) {
    const real weight = exp(score_of(g, q + q0, k + k0, mask + mask0, r, j, scale) - logarithm);
    const long of_v = v0 + row_in(g->v, r.batch, r.kv_head, j);
    real slope = 0;
    if (weight != 0) {
      for (long e = 0; e < g->value_features; ++e) slope += dy[of_dy + e * g->dy[3]] * v[of_v + e * g->v[3]];
      slope = weight * (slope - both);
    }
    weights[weights0 + row + j] = weight;
    slopes[slopes0 + row + j] = slope;
  }
}

// dq = scale ds k: a work-item per element.
kernel void attention_grad_q(global real* dq, const long dq0, global const real* slopes, const long slopes0,
                             global const real* k, const long k0, const real scale, constant const geometry* g) {
  const long i = get_global_id(0);
  if (i >= g->count * g->features) return;
  const long row = i / g->features, d = i - row * g->features;
  const row_place r = row_of(g, row);
  const long first = k0 + row_in(g->k, r.batch, r.kv_head, 0) + d * g->k[3];
  real total = 0;
  for (long j = 0; j < g->keys; ++j) total += slopes[slopes0 + row * g->keys + j] * k[first + j * g->k[2]];
  dq[dq0 + row_in(g->dq, r.batch, r.head, r.query) + d * g->dq[3]] = scale * total;
}

// dk = scale ds^T q and dv = p^T dy: a work-item per element, over all heads that share it. `matrix`: ds or p.
kernel void attention_grad_kv(global real* result, const long result0, global const real* matrix, const long matrix0,
                              global const real* rows, const long rows0, const long features, const real scale,
                              constant const long* strides_of_result, constant const long* strides_of_rows,
                              const long count, constant const geometry* g) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const long line = i / features, d = i - line * features, head = line / g->keys, j = line - head * g->keys;
  const long batch = head / g->kv_heads, kv_head = head % g->kv_heads, shared = g->heads / g->kv_heads;
  real total = 0;
  for (long h = kv_head * shared; h < (kv_head + 1) * shared; ++h) {
    const long of_rows = rows0 + row_in(strides_of_rows, batch, h, 0) + d * strides_of_rows[3];
    const long of_matrix = matrix0 + (batch * g->heads + h) * g->queries * g->keys + j;
    for (long s = 0; s < g->queries; ++s)
      total += matrix[of_matrix + s * g->keys] * rows[of_rows + s * strides_of_rows[2]];
  }
  result[result0 + row_in(strides_of_result, batch, kv_head, j) + d * strides_of_result[3]] = scale * total;
}
