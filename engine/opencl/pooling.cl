// SPDX-License-Identifier: Apache-2.0
// Pooling of images. No two work-items add to one number.

// engine/opencl/pooling.cpp. Axes of all: N C H W.
typedef struct {
  long count, channels, height, width, out_height, out_width;
  long kernel_extent[2], stride[2], padding[2], padding_after[2];
  long x[4], y[4], indices[4];  // strides
  long count_include_pad;
} geometry;

typedef struct {
  long image;
  int channel, row, column;
} pixel;

pixel pixel_of(const long position, const long channels, const long height, const long width) {
  const long line = position / width, plane = line / height;
  const pixel p = {plane / channels, (int)(plane % channels), (int)(line - plane * height),
                   (int)(position - line * width)};
  return p;
}

long place_in(constant const long* strides, const pixel p) {
  return p.image * strides[0] + p.channel * strides[1] + p.row * strides[2] + p.column * strides[3];
}

// What an average of output (i, j) divides by.
real divisor_of(constant const geometry* g, const int i, const int j) {
  long total = 1;
  const int out[2] = {i, j};
  const long inputs[2] = {g->height, g->width};
  for (int axis = 0; axis < 2; ++axis) {
    const long begin = out[axis] * g->stride[axis] - g->padding[axis], end = begin + g->kernel_extent[axis];
    total *= g->count_include_pad ? min(end, inputs[axis] + g->padding_after[axis]) - begin
                                  : min(end, inputs[axis]) - max(begin, 0L);
  }
  return (real)total;
}

kernel void max_pool(global real* y, const long y0, global int* indices, const long indices0, global const real* x,
                     const long x0, constant const geometry* g) {
  const long i = get_global_id(0);
  if (i >= g->count) return;
  const pixel p = pixel_of(i, g->channels, g->out_height, g->out_width);
  const long row = p.row * g->stride[0] - g->padding[0], column = p.column * g->stride[1] - g->padding[1];
  const long first_row = max(row, 0L), first_column = max(column, 0L);
  const long plane = x0 + p.image * g->x[0] + p.channel * g->x[1];
  real largest = x[plane + first_row * g->x[2] + first_column * g->x[3]];
  long best = first_row * g->width + first_column;
  for (long r = first_row; r < min(row + g->kernel_extent[0], g->height); ++r) {
    for (long c = first_column; c < min(column + g->kernel_extent[1], g->width); ++c) {
      const real value = x[plane + r * g->x[2] + c * g->x[3]];
      if (value > largest || (value != value && largest == largest)) {
        largest = value;
        best = r * g->width + c;
      }
    }
  }
  y[y0 + place_in(g->y, p)] = largest;
  indices[indices0 + place_in(g->indices, p)] = (int)best;
}

kernel void average_pool(global real* y, const long y0, global const real* x, const long x0,
                         constant const geometry* g) {
  const long i = get_global_id(0);
  if (i >= g->count) return;
  const pixel p = pixel_of(i, g->channels, g->out_height, g->out_width);
  const long row = p.row * g->stride[0] - g->padding[0], column = p.column * g->stride[1] - g->padding[1];
  const long plane = x0 + p.image * g->x[0] + p.channel * g->x[1];
  real total = 0;
  for (long r = max(row, 0L); r < min(row + g->kernel_extent[0], g->height); ++r) {
    for (long c = max(column, 0L); c < min(column + g->kernel_extent[1], g->width); ++c)
      total += x[plane + r * g->x[2] + c * g->x[3]];
  }
  y[y0 + place_in(g->y, p)] = total / divisor_of(g, p.row, p.column);
}

// A work-item per plane, which adds window by window: an index may be anywhere in the plane, and one outside of it is
// left out.
kernel void max_pool_grad(global real* dx, const long dx0, global const real* dy, const long dy0,
                          global const int* indices, const long indices0, constant const geometry* g) {
  const long i = get_global_id(0);
  if (i >= g->count) return;
  const long image = i / g->channels;
  const int channel = (int)(i - image * g->channels);
  const long plane = dx0 + image * g->x[0] + channel * g->x[1];
  for (long r = 0; r < g->height; ++r) {
    for (long c = 0; c < g->width; ++c) dx[plane + r * g->x[2] + c * g->x[3]] = 0;
  }
  for (int r = 0; r < g->out_height; ++r) {
    for (int c = 0; c < g->out_width; ++c) {
      const pixel window = {image, channel, r, c};
      const long index = indices[indices0 + place_in(g->indices, window)];
      if (index < 0 || index >= g->height * g->width) continue;
      const long row = index / g->width, column = index - row * g->width;
      dx[plane + row * g->x[2] + column * g->x[3]] += dy[dy0 + place_in(g->y, window)];
    }
  }
}

// First and last window along an axis that has an input in it.
long first_window(constant const geometry* g, const int axis, const long at) {
  const long reach = at + g->padding[axis] - g->kernel_extent[axis] + 1;
  return reach <= 0 ? 0 : (reach + g->stride[axis] - 1) / g->stride[axis];
}
long last_window(constant const geometry* g, const int axis, const long at, const long outputs) {
  return min(outputs - 1, (at + g->padding[axis]) / g->stride[axis]);
}

// A work-item per input: the windows that have it.
kernel void average_pool_grad(global real* dx, const long dx0, global const real* dy, const long dy0,
                              constant const geometry* g) {
  const long i = get_global_id(0);
  if (i >= g->count) return;
  const pixel p = pixel_of(i, g->channels, g->height, g->width);
  real total = 0;
  for (long r = first_window(g, 0, p.row); r <= last_window(g, 0, p.row, g->out_height); ++r) {
    for (long c = first_window(g, 1, p.column); c <= last_window(g, 1, p.column, g->out_width); ++c) {
      const pixel window = {p.image, p.channel, (int)r, (int)c};
      total += dy[dy0 + place_in(g->y, window)] / divisor_of(g, (int)r, (int)c);
    }
  }
  dx[dx0 + place_in(g->x, p)] = total;
}
