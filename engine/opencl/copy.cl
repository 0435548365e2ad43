// SPDX-License-Identifier: Apache-2.0
// Copies and fills of elements of any dtype: ELEMENT is an unsigned type of its size.

kernel void copy_strided(global ELEMENT* to, const long to0, global const ELEMENT* from, const long from0,
                         constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[2];
  offsets_of(w, 2, i, at);
  to[to0 + at[0]] = from[from0 + at[1]];
}

kernel void fill_strided(global ELEMENT* to, const long to0, const long bits, constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[1];
  offsets_of(w, 1, i, at);
  to[to0 + at[0]] = (ELEMENT)bits;
}
