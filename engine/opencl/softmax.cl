// SPDX-License-Identifier: Apache-2.0
// Softmax along an axis and the cross entropy of classes: a group per line. `lines` walks the lines (y, x or dy, y),
// `along` the elements of one.

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void softmax(global real* y, const long y0, global const real* x, const long x0, const long logarithm,
             constant const walk* lines, constant const walk* along) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  long line[2], at[2];
  offsets_of(lines, 2, get_group_id(0), line);
  real largest = -INFINITY;
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 2, k, at);
    largest = larger(largest, x[x0 + line[1] + at[1]]);
  }
  largest = group_larger(largest, scratch);
  real total = 0;
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 2, k, at);
    total += exp(x[x0 + line[1] + at[1]] - largest);
  }
  total = group_sum(total, scratch);
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 2, k, at);
    const real off = x[x0 + line[1] + at[1]] - largest;
    y[y0 + line[0] + at[0]] = logarithm ? off - log(total) : exp(off) / total;
  }
}

// dx = y (dy - sum dy y)
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void softmax_grad(global real* dx, const long dx0, global const real* dy, const long dy0, global const real* y,
                  const long y0, constant const walk* lines, constant const walk* along) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  long line[3], at[3];
  offsets_of(lines, 3, get_group_id(0), line);
  real total = 0;
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 3, k, at);
    total += dy[dy0 + line[1] + at[1]] * y[y0 + line[2] + at[2]];
  }
  total = group_sum(total, scratch);
  for (long k = item; k < along->count; k += GROUP) {
    offsets_of(along, 3, k, at);
    dx[dx0 + line[0] + at[0]] = y[y0 + line[2] + at[2]] * (dy[dy0 + line[1] + at[1]] - total);
  }
}

// A label outside of the classes makes its row NaN.
long label_of(global const LABEL* labels, const long at, const long classes) {
  const long label = (long)labels[at];
  return label >= 0 && label < classes ? label : -1;
}

// numbers: classes, strides of logits (2), probabilities (2) and labels
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void cross_entropy_rows(global real* probabilities, const long p0, global real* losses, const long l0,
                        global const real* logits, const long x0, global const LABEL* labels, const long labels0,
                        constant const long* numbers) {
  local real scratch[GROUP];
  const int item = (int)get_local_id(0);
  const long row = get_group_id(0), classes = numbers[0], step = numbers[2];
  const long x = x0 + row * numbers[1], p = p0 + row * numbers[3];
  real largest = -INFINITY;
  for (long c = item; c < classes; c += GROUP) largest = larger(largest, logits[x + c * step]);
  largest = group_larger(largest, scratch);
  real total = 0;
  for (long c = item; c < classes; c += GROUP) total += exp(logits[x + c * step] - largest);
  total = group_sum(total, scratch);
  const long label = label_of(labels, labels0 + row * numbers[5], classes);
  if (item == 0) losses[l0 + row] = label < 0 ? (real)NAN : log(total) - (logits[x + label * step] - largest);
  for (long c = item; c < classes; c += GROUP)
    probabilities[p + c * numbers[4]] = exp(logits[x + c * step] - largest) / total;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void cross_entropy_mean(global real* loss, const long loss0, global const real* losses, const long l0,
                        const long rows) {
  local real scratch[GROUP];
  real total = 0;
  for (long row = get_local_id(0); row < rows; row += GROUP) total += losses[l0 + row];
  total = group_sum(total, scratch);
  if (get_local_id(0) == 0) loss[loss0] = total / rows;
}

// numbers: classes, strides of dlogits (2), probabilities (2) and labels, rows
kernel void cross_entropy_grad(global real* dx, const long dx0, global const real* dloss, const long dloss0,
                               global const real* probabilities, const long p0, global const LABEL* labels,
                               const long labels0, constant const long* numbers) {
  const long i = get_global_id(0), classes = numbers[0], row = i / classes, c = i - row * classes;
  if (row >= numbers[6]) return;
  const long label = label_of(labels, labels0 + row * numbers[5], classes);
  const real p = probabilities[p0 + row * numbers[3] + c * numbers[4]] - (c == label ? 1 : 0);
  dx[dx0 + row * numbers[1] + c * numbers[2]] = label < 0 ? (real)NAN : p * (dloss[dloss0] / numbers[6]);
}
