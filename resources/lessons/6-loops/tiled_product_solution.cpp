// SPDX-License-Identifier: Apache-2.0
// c = a b by tiles of 4 x 16: the sums of a tile stay in registers, and a line of b serves four rows of a.
#include <tensortide_kernel.h>

void kernel(Input a, Input b, Output c, int m, int n, int k) {
  for (int j = 0; j < n; j += 16) {
    for (int i = 0; i < m; i += 4) {
      Vector<16> sum[4] = {};
      for (int p = 0; p < k; ++p) {
        const Vector<16> row = load<16>(b + (p * n + j));
        for (int r = 0; r < 4; ++r) sum[r] += a[(i + r) * k + p] * row;
      }
      for (int r = 0; r < 4; ++r) store(c + ((i + r) * n + j), sum[r]);
    }
  }
}
