// SPDX-License-Identifier: Apache-2.0
// y = softmax(q k^T / sqrt(d)) v of each head. Three passes: the scores of all pairs go through memory. Begin here.
#include <math.h>
#include <tensortide_kernel.h>

void kernel(Input q, Input k, Input v, Output y, int heads, int n, int d) {
  Scratch scores(n * n);
  for (int h = 0; h < heads; ++h, q += n * d, k += n * d, v += n * d, y += n * d) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int p = 0; p < d; ++p) sum += q[i * d + p] * k[j * d + p];
        scores[i * n + j] = sum / sqrtf(d);
      }
    }
    for (int i = 0; i < n; ++i) {
      float sum = 0;
      for (int j = 0; j < n; ++j) {
        const float weight = expf(scores[i * n + j]);
        scores[i * n + j] = weight;
        sum += weight;
      }
      for (int j = 0; j < n; ++j) scores[i * n + j] = scores[i * n + j] / sum;
    }
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < d; ++p) {
        float sum = 0;
        for (int j = 0; j < n; ++j) sum += scores[i * n + j] * v[j * d + p];
        y[i * d + p] = sum;
      }
    }
  }
}
