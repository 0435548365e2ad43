// SPDX-License-Identifier: Apache-2.0
// y = softmax(x) of each of m rows of n elements: exp(x - largest), divided by their sum. Plain loops.
#include <math.h>
#include <tensortide_kernel.h>

void kernel(Input x, Output y, int m, int n) {
  for (int i = 0; i < m; ++i) {
    float largest = x[i * n];
    for (int j = 1; j < n; ++j) {
      const float value = x[i * n + j];
      if (value > largest) largest = value;
    }
    float sum = 0;
    for (int j = 0; j < n; ++j) {
      const float value = expf(x[i * n + j] - largest);
      y[i * n + j] = value;
      sum += value;
    }
    for (int j = 0; j < n; ++j) y[i * n + j] = y[i * n + j] / sum;
  }
}
