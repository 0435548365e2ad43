// SPDX-License-Identifier: Apache-2.0
// Slices picked by index. numbers: extent of the axis, its stride in x.
// Negative indices count from the end; those outside make NaN, and add to nothing.

long index_of(global const INDEX* indices, const long at, const long extent) {
  const long index = (long)indices[at];
  return index < 0 ? index + extent : index;
}

// `slices` walks (outer, inner) of y and x: y's offset, x's; `picks` the indices: y's offset, the index's.
kernel void gather(global real* y, const long y0, global const real* x, const long x0, global const INDEX* indices,
                   const long indices0, constant const long* numbers, constant const walk* slices,
                   constant const walk* picks) {
  const long i = get_global_id(0);
  if (i >= slices->count * picks->count) return;
  const long pick = i / slices->count;
  long slice[2], at[2];
  offsets_of(slices, 2, i - pick * slices->count, slice);
  offsets_of(picks, 2, pick, at);
  const long index = index_of(indices, indices0 + at[1], numbers[0]);
  y[y0 + slice[0] + at[0]] =
      index >= 0 && index < numbers[0] ? x[x0 + slice[1] + index * numbers[1]] : (real)NAN;
}

// A work-item per (outer, inner): it clears its elements and adds in the order of the indices.
kernel void gather_grad(global const real* dy, const long dy0, global real* dx, const long dx0,
                        global const INDEX* indices, const long indices0, constant const long* numbers,
                        constant const walk* slices, constant const walk* picks) {
  const long i = get_global_id(0);
  if (i >= slices->count) return;
  long slice[2], at[2];
  offsets_of(slices, 2, i, slice);
  for (long k = 0; k < numbers[0]; ++k) dx[dx0 + slice[1] + k * numbers[1]] = 0;
  for (long pick = 0; pick < picks->count; ++pick) {
    offsets_of(picks, 2, pick, at);
    const long index = index_of(indices, indices0 + at[1], numbers[0]);
    if (index >= 0 && index < numbers[0])
      dx[dx0 + slice[1] + index * numbers[1]] += dy[dy0 + slice[0] + at[0]];
  }
}
