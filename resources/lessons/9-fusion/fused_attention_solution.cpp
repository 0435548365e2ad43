// SPDX-License-Identifier: Apache-2.0
// Fused attention: one row of scores at a time, which stays in the cache.
#include <math.h>
#include <tensortide_kernel.h>

void kernel(Input q, Input k, Input v, Output y, int heads, int n, int d) {
  Scratch scores(n);
  for (int h = 0; h < heads; ++h, q += n * d, k += n * d, v += n * d, y += n * d) {
    for (int i = 0; i < n; ++i) {
      float sum = 0;
      for (int j = 0; j < n; ++j) {
        float score = 0;
        for (int p = 0; p < d; ++p) score += q[i * d + p] * k[j * d + p];
        const float weight = expf(score / sqrtf(d));
        scores[j] = weight;
        sum += weight;
      }
      for (int p = 0; p < d; ++p) {
        float result = 0;
        for (int j = 0; j < n; ++j) result += scores[j] * v[j * d + p];
        y[i * d + p] = result / sum;
      }
    }
  }
}
