// SPDX-License-Identifier: Apache-2.0
// y = x convolved with w: x has `in` planes of height x width elements, w `out` filters of `in` times size x size, y
// `out` planes of (height - size + 1) x (width - size + 1). No padding, stride 1. Plain loops.
#include <tensortide_kernel.h>

void kernel(Input x, Input w, Output y, int in, int out, int height, int width, int size) {
  const int rows = height - size + 1, columns = width - size + 1;
  for (int o = 0; o < out; ++o) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        float sum = 0;
        for (int c = 0; c < in; ++c) {
          for (int r = 0; r < size; ++r) {
            for (int s = 0; s < size; ++s)
              sum += x[(c * height + i + r) * width + j + s] * w[((o * in + c) * size + r) * size + s];
          }
        }
        y[(o * rows + i) * columns + j] = sum;
      }
    }
  }
}
