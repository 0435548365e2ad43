// SPDX-License-Identifier: Apache-2.0
// c = a b (+ bias): operands in any layout, a batch of them in any broadcast.

// engine/opencl/product.cpp
typedef struct {
  long m, n, k, a_along_k, b_along_k;
  long a_row, a_k, b_k, b_column, c_row, c_column, bias_column, has_bias;
  walk batch;
} geometry;

// Where a matrix of the batch begins.
typedef struct {
  long c, a, b;
} place;

place place_of(constant const geometry* g, const long batch) {
  long at[3];
  offsets_of(&g->batch, 3, batch, at);
  const place result = {at[0], at[1], at[2]};
  return result;
}

real load_a(global const real* a, constant const geometry* g, const place* at, const long row, const long k) {
  return a[at->a + row * g->a_row + k * g->a_k];
}

real load_b(global const real* b, constant const geometry* g, const place* at, const long k, const long column) {
  return b[at->b + k * g->b_k + column * g->b_column];
}

void store_c(global real* c, global const real* bias, constant const geometry* g, const place* at, const long row,
             const long column, const real value) {
  c[at->c + row * g->c_row + column * g->c_column] = g->has_bias ? value + bias[column * g->bias_column] : value;
}
