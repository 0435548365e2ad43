// SPDX-License-Identifier: Apache-2.0
// Layer, root-mean-square and batch normalisation: a group per line of values that share their statistics. `lines`
// walks the lines, `along` the values of one; scale and bias have strides in both.

// Operands of the walks: x, y, scale, bias, mean, inverse. CENTRED: a mean is subtracted.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void normalise(global const real* x, const long x0, global real* y, const long y0, global const real* scale,
               const long scale0, global const real* bias, const long bias0, global real* mean, const long mean0,
               global real* inverse, const long inverse0, const long centred, const long has_bias, const real epsilon,
               constant const walk* lines, constant const walk* along) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  long line[6], at[6];
  offsets_of(lines, 6, get_group_id(0), line);
  const real length = along->count;
  real middle = 0;
  if (centred) {
    real total = 0;
    for (long k = item; k < along->count; k += GROUP) {
      offsets_of(along, 1, k, at);
      total += x[x0 + line[0] + at[0]];
    }
    middle = group_sum(total, scratch) / length;
    total = 0;
    for (long k = item; k < along->count; k += GROUP) {
      offsets_of(along, 1, k, at);
      total += x[x0 + line[0] + at[0]] - middle;
    }
    const real off = group_sum(total, scratch);  // what rounding left
    if (isfinite(off)) middle += off / length;
  }
  real squares = 0;
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 1, k, at);
    const real distance = x[x0 + line[0] + at[0]] - middle;
    squares += distance * distance;
  }
  const real inv = 1 / sqrt(group_sum(squares, scratch) / length + epsilon);
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 4, k, at);
    const real value = (x[x0 + line[0] + at[0]] - middle) * inv * scale[scale0 + line[2] + at[2]];
    y[y0 + line[1] + at[1]] = has_bias ? value + bias[bias0 + line[3] + at[3]] : value;
  }
  if (item == 0) {
    if (centred) mean[mean0 + line[4]] = middle;
    inverse[inverse0 + line[5]] = inv;
  }
}

// dx; of a batch norm dscale and dbias too, one of each per line. Operands: dy, x, dx, scale, mean, inverse.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void normalise_grad(global const real* dy, const long dy0, global const real* x, const long x0, global real* dx,
                    const long dx0, global const real* scale, const long scale0, global const real* mean,
                    const long mean0, global const real* inverse, const long inverse0, global real* dscale,
                    const long dscale0, global real* dbias, const long dbias0, const long centred, const long per_line,
                    constant const walk* lines, constant const walk* along) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  long line[6], at[4];
  offsets_of(lines, 6, get_group_id(0), line);
  const real length = along->count, middle = centred ? mean[mean0 + line[4]] : (real)0;
  const real inv = inverse[inverse0 + line[5]];
  real sum = 0, sum_xhat = 0;
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 4, k, at);
    const real slope = dy[dy0 + line[0] + at[0]] * (per_line ? (real)1 : scale[scale0 + line[3] + at[3]]);
    sum += slope;
    sum_xhat += slope * (x[x0 + line[1] + at[1]] - middle) * inv;
  }
  sum = group_sum(sum, scratch);
  sum_xhat = group_sum(sum_xhat, scratch);
  const real factor = per_line ? inv * scale[scale0 + line[3]] : inv;
  const real mean_slope = centred ? sum / length : (real)0, mean_xhat = sum_xhat / length;
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 4, k, at);
    const real xhat = (x[x0 + line[1] + at[1]] - middle) * inv;
    const real slope = dy[dy0 + line[0] + at[0]] * (per_line ? (real)1 : scale[scale0 + line[3] + at[3]]);
    dx[dx0 + line[2] + at[2]] = factor * (slope - mean_slope - xhat * mean_xhat);
  }
  if (per_line && item == 0) {
    dscale[dscale0 + get_group_id(0)] = sum_xhat;
    dbias[dbias0 + get_group_id(0)] = sum;
  }
}

// dscale and dbias of a layer norm: a group per parameter, over all lines. Operands of `along`: dy, x; of `lines`: dy,
// x, -, -, mean, inverse.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void parameter_grad(global const real* dy, const long dy0, global const real* x, const long x0,
                    global const real* mean, const long mean0, global const real* inverse, const long inverse0,
                    global real* dscale, const long dscale0, global real* dbias, const long dbias0, const long centred,
                    constant const walk* lines, constant const walk* along) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  long line[6], at[2];
  offsets_of(along, 2, get_group_id(0), at);
  real sum = 0, sum_xhat = 0;
  for (long k = item; k < lines->count; k += GROUP) {
    offsets_of(lines, 6, k, line);
    const real slope = dy[dy0 + line[0] + at[0]];
    const real middle = centred ? mean[mean0 + line[4]] : (real)0;
    sum += slope;
    sum_xhat += slope * (x[x0 + line[1] + at[1]] - middle) * inverse[inverse0 + line[5]];
  }
  sum = group_sum(sum, scratch);
  sum_xhat = group_sum(sum_xhat, scratch);
  if (item == 0) {
    dscale[dscale0 + get_group_id(0)] = sum_xhat;
    if (centred) dbias[dbias0 + get_group_id(0)] = sum;
  }
}

// Operands: x, y, scale, bias, mean, variance.
kernel void batch_norm_inference(global const real* x, const long x0, global real* y, const long y0,
                                 global const real* scale, const long scale0, global const real* bias,
                                 const long bias0, global const real* mean, const long mean0,
                                 global const real* variance, const long variance0, const real epsilon,
                                 constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[6];
  offsets_of(w, 6, i, at);
  y[y0 + at[1]] = (x[x0 + at[0]] - mean[mean0 + at[4]]) / sqrt(variance[variance0 + at[5]] + epsilon) *
                      scale[scale0 + at[2]] +
                  bias[bias0 + at[3]];
}

// Operands: running_mean, running_variance, mean, inv_std.
kernel void running_update(global real* running_mean, const long running_mean0, global real* running_variance,
                           const long running_variance0, global const real* mean, const long mean0,
                           global const real* inverse, const long inverse0, const real epsilon, const real momentum,
                           const real unbiased, constant const walk* w) {
  const long i = get_global_id(0);
  if (i >= w->count) return;
  long at[4];
  offsets_of(w, 4, i, at);
  const real inv = inverse[inverse0 + at[3]];
  const real variance = (1 / (inv * inv) - epsilon) * unbiased;
  running_mean[running_mean0 + at[0]] =
      (1 - momentum) * running_mean[running_mean0 + at[0]] + momentum * mean[mean0 + at[2]];
  running_variance[running_variance0 + at[1]] =
      (1 - momentum) * running_variance[running_variance0 + at[1]] + momentum * variance;
}
