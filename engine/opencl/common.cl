// SPDX-License-Identifier: Apache-2.0
// What all programs share: the type of numbers, walks over strided operands, sums over a group of work-items.

#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#else
typedef float real;
#endif

#define MAX_AXES 8
#define MAX_OPERANDS 6
#define GROUP 64

// engine/opencl/walk.h
typedef struct {
  long count, axes, linear;
  long extents[MAX_AXES];
  long strides[MAX_OPERANDS][MAX_AXES];
} walk;

// Offsets in elements of the first `operands` operands at a position.
void offsets_of(constant const walk* w, const int operands, const long position, long* offsets) {
  if (w->linear) {
    for (int n = 0; n < operands; ++n) offsets[n] = position * w->strides[n][0];
    return;
  }
  for (int n = 0; n < operands; ++n) offsets[n] = 0;
  if (w->count < 0x7fffffff) {  // 32-bit divisions are several times as fast
    uint rest = (uint)position;
    for (int axis = (int)w->axes - 1; axis > 0; --axis) {
      const uint extent = (uint)w->extents[axis], up = rest / extent;
      const long at = rest - up * extent;
      for (int n = 0; n < operands; ++n) offsets[n] += at * w->strides[n][axis];
      rest = up;
    }
    for (int n = 0; n < operands; ++n) offsets[n] += (long)rest * w->strides[n][0];
    return;
  }
  long rest = position;
  for (int axis = (int)w->axes - 1; axis > 0; --axis) {
    const long up = rest / w->extents[axis], at = rest - up * w->extents[axis];
    for (int n = 0; n < operands; ++n) offsets[n] += at * w->strides[n][axis];
    rest = up;
  }
  for (int n = 0; n < operands; ++n) offsets[n] += rest * w->strides[n][0];
}

// Of all GROUP work-items; every one of them gets it.
real group_sum(const real value, local real* scratch) {
  const int item = (int)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    if (item < reach) scratch[item] += scratch[item + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[0];
}

// The larger; NaN where one is NaN.
real larger(const real a, const real b) { return a != a ? a : b != b ? b : a > b ? a : b; }
real smaller(const real a, const real b) { return a != a ? a : b != b ? b : a < b ? a : b; }

real group_larger(const real value, local real* scratch) {
  const int item = (int)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    if (item < reach) scratch[item] = larger(scratch[item], scratch[item + reach]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[0];
}
