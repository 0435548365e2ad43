// SPDX-License-Identifier: Apache-2.0
// b = the transpose of a: a has m rows of n elements, b n rows of m. Begin here.
#include <tensortide_kernel.h>

void kernel(Input a, Output b, int m, int n) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) b[j * m + i] = a[i * n + j];
  }
}
