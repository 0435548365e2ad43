// SPDX-License-Identifier: Apache-2.0
// A matrix multiplication in tiles of 64 x 64, 16 deep, over whatever load_a, load_b and store_c of the file before
// it say: 64 work-items compute 8 x 8 elements each, from tiles in local memory.

#define TILE 64
#define DEPTH 16
#define SIDE 8

#ifdef DOUBLES
typedef double8 real8;
#else
typedef float8 real8;
#endif

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void NAME(global real* c, const long c0, global const real* a, const long a0, global const real* b, const long b0,
          global const real* bias, const long bias0, constant const geometry* g) {
  local real a_tile[DEPTH][TILE];
  local real b_tile[DEPTH][TILE];
  const int item = (int)get_local_id(0);
  const int my_row = item / (TILE / SIDE) * SIDE, my_column = item % (TILE / SIDE) * SIDE;
  const long first_row = (long)get_group_id(0) * TILE, first_column = (long)get_group_id(1) * TILE;
  const long batch = get_group_id(2);
  const place at = place_of(g, batch);
  real8 sums[SIDE];
  for (int r = 0; r < SIDE; ++r) sums[r] = (real8)(0);
  for (long first_k = 0; first_k < g->k; first_k += DEPTH) {
    for (int i = 0; i < DEPTH * TILE / GROUP; ++i) {
      const int e = i * GROUP + item;
      const int row = g->a_along_k ? e / DEPTH : e % TILE, row_k = g->a_along_k ? e % DEPTH : e / TILE;
      const int column = g->b_along_k ? e / DEPTH : e % TILE, column_k = g->b_along_k ? e % DEPTH : e / TILE;
      a_tile[row_k][row] = first_row + row < g->m && first_k + row_k < g->k
                               ? load_a(a + a0, g, &at, first_row + row, first_k + row_k)
                               : (real)0;
      b_tile[column_k][column] = first_column + column < g->n && first_k + column_k < g->k
                                     ? load_b(b + b0, g, &at, first_k + column_k, first_column + column)
                                     : (real)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < DEPTH; ++k) {
      const real8 row_of_b = vload8(0, &b_tile[k][my_column]);
      for (int r = 0; r < SIDE; ++r) sums[r] += a_tile[k][my_row + r] * row_of_b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int r = 0; r < SIDE; ++r) {
    real values[SIDE];
    vstore8(sums[r], 0, values);
    const long row = first_row + my_row + r;
    for (int s = 0; s < SIDE; ++s) {
      const long column = first_column + my_column + s;
      if (row < g->m && column < g->n) store_c(c + c0, bias + bias0, g, &at, row, column, values[s]);
    }
  }
}
