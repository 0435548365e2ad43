// SPDX-License-Identifier: Apache-2.0
// c = a b: a has m rows of k elements, b k rows of n, c m rows of n. Begin here.
#include <tensortide_kernel.h>

void kernel(Input a, Input b, Output c, int m, int n, int k) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
