// SPDX-License-Identifier: Apache-2.0
// A transposition for a cache of 32 sets of one line of 8 elements. Elements of a row are read before any of them is
// stored, so that a store never displaces a line of a that is still wanted.
#include <tensortide_kernel.h>

static int smaller(int x, int y) { return x < y ? x : y; }

// Blocks of `side`: rows of a block that are 8 lines apart or fewer are in different sets.
static void by_blocks(Input a, Output b, int m, int n, int side) {
  float row[16];
  for (int bi = 0; bi < m; bi += side) {
    for (int bj = 0; bj < n; bj += 8) {
      for (int i = bi; i < smaller(bi + side, m); ++i) {
        for (int j = bj; j < smaller(bj + 8, n); ++j) row[j - bj] = a[i * n + j];
        for (int j = bj; j < smaller(bj + 8, n); ++j) b[j * m + i] = row[j - bj];
      }
    }
  }
}

// Rows that are 4 apart share sets. Blocks of 8 x 8 go by quarters: the upper right one waits in b, in its own lines.
static void by_quarters(Input a, Output b, int m, int n) {
  float x[8];
  for (int i = 0; i < m; i += 8) {
    for (int j = 0; j < n; j += 8) {
      for (int k = 0; k < 4; ++k) {
        for (int p = 0; p < 8; ++p) x[p] = a[(i + k) * n + j + p];
        for (int p = 0; p < 4; ++p) b[(j + p) * m + i + k] = x[p];
        for (int p = 0; p < 4; ++p) b[(j + p) * m + i + k + 4] = x[p + 4];
      }
      for (int k = 0; k < 4; ++k) {
        for (int p = 0; p < 4; ++p) x[p] = b[(j + k) * m + i + 4 + p];
        for (int p = 0; p < 4; ++p) x[p + 4] = a[(i + 4 + p) * n + j + k];
        for (int p = 0; p < 4; ++p) b[(j + k) * m + i + 4 + p] = x[p + 4];
        for (int p = 0; p < 4; ++p) b[(j + k + 4) * m + i + p] = x[p];
      }
      for (int k = 4; k < 8; ++k) {
        for (int p = 0; p < 4; ++p) x[p] = a[(i + 4 + p) * n + j + k];
        for (int p = 0; p < 4; ++p) b[(j + k) * m + i + 4 + p] = x[p];
      }
    }
  }
}

void kernel(Input a, Output b, int m, int n) {
  if (m == 64 && n == 64) by_quarters(a, b, m, n);
  else by_blocks(a, b, m, n, m == 32 ? 8 : 16);
}
