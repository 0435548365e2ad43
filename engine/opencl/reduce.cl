// SPDX-License-Identifier: Apache-2.0
// Reductions: `results` walks the results (y, x), `along` the elements of one of them (x). TAKE makes a number of an
// element, JOIN joins two numbers, IDLE makes of any element what a work-item without elements has.

real squared(const real x) { return x * x; }
real itself(const real x) { return x; }
real nothing(const real x) { return 0; }
real added(const real a, const real b) { return a + b; }

// A work-item per result.
kernel void reduce_items(global real* y, const long y0, global const real* x, const long x0,
                         constant const walk* results, constant const walk* along) {
  const long i = get_global_id(0);
  if (i >= results->count) return;
  long at[2], step[1];
  offsets_of(results, 2, i, at);
  offsets_of(along, 1, 0, step);
  real total = TAKE(x[x0 + at[1] + step[0]]);
  for (long k = 1; k < along->count; ++k) {
    offsets_of(along, 1, k, step);
    total = JOIN(total, TAKE(x[x0 + at[1] + step[0]]));
  }
  y[y0 + at[0]] = total;
}

// A group per result.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduce_groups(global real* y, const long y0, global const real* x, const long x0, constant const walk* results,
                   constant const walk* along) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  long at[2], step[1];
  offsets_of(results, 2, get_group_id(0), at);
  const long first = item < along->count ? item : 0;  // an element more than once does no harm but in a sum
  offsets_of(along, 1, first, step);
  real total = item < along->count ? TAKE(x[x0 + at[1] + step[0]]) : IDLE(x[x0 + at[1] + step[0]]);
  for (long k = item + GROUP; k < along->count; k += GROUP) {
    offsets_of(along, 1, k, step);
    total = JOIN(total, TAKE(x[x0 + at[1] + step[0]]));
  }
  scratch[item] = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    if (item < reach) scratch[item] = JOIN(scratch[item], scratch[item + reach]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) y[y0 + at[0]] = scratch[0];
}
