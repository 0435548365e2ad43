// SPDX-License-Identifier: Apache-2.0
// y = a x + y of n elements. Plain loop.
#include <tensortide_kernel.h>

void kernel(float a, Input x, Output y, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
