// SPDX-License-Identifier: Apache-2.0
// Convolutions of images as matrix multiplications whose operands are never laid out: load_a and load_b find the
// elements. FORWARD, GRAD_INPUT or GRAD_WEIGHT says which.

// engine/opencl/convolution.cpp. Axes of x: N C H W; of w: O C KH KW; of y: N O OH OW.
typedef struct {
  long m, n, k, a_along_k, b_along_k;
  long in_group, out_group, height, width, out_height, out_width, kernel_height, kernel_width;
  long stride[2], dilation[2], padding[2];
  long x[4], w[4], y[4];  // strides
  long bias_column, has_bias;
} geometry;

// The group of channels.
typedef struct {
  long group;
} place;

place place_of(constant const geometry* g, const long batch) {
  const place result = {batch};
  return result;
}

// Element of x that output (i, j) of an image meets under tap (u, v); 0 on the padding.
real input_under(global const real* x, constant const geometry* g, const long image, const long channel, const long i,
                 const long j, const long u, const long v) {
  const long row = i * g->stride[0] + u * g->dilation[0] - g->padding[0];
  const long column = j * g->stride[1] + v * g->dilation[1] - g->padding[1];
  return row >= 0 && row < g->height && column >= 0 && column < g->width
             ? x[image * g->x[0] + channel * g->x[1] + row * g->x[2] + column * g->x[3]]
             : (real)0;
}

// (u, v, channel) of a position, the channel fastest.
typedef struct {
  int u, v, channel;
} tap;

tap tap_of(constant const geometry* g, const long position, const long channels) {
  const uint p = (uint)position, uv = p / (uint)channels;
  const tap t = {(int)(uv / (uint)g->kernel_width), (int)(uv % (uint)g->kernel_width), (int)(p - uv * (uint)channels)};
  return t;
}

// (image, row, column) of a pixel, the column fastest.
typedef struct {
  long image;
  int row, column;
} pixel;

pixel pixel_of(const long position, const long height, const long width) {
  const long line = position / width;
  const pixel p = {line / height, (int)(line % height), (int)(position - line * width)};
  return p;
}

#if defined(FORWARD)  // rows: output pixels; columns: output channels; k: taps
real load_a(global const real* x, constant const geometry* g, const place* at, const long row, const long k) {
  const pixel p = pixel_of(row, g->out_height, g->out_width);
  const tap t = tap_of(g, k, g->in_group);
  return input_under(x, g, p.image, at->group * g->in_group + t.channel, p.row, p.column, t.u, t.v);
}
real load_b(global const real* w, constant const geometry* g, const place* at, const long k, const long column) {
  const tap t = tap_of(g, k, g->in_group);
  return w[(at->group * g->out_group + column) * g->w[0] + t.channel * g->w[1] + t.u * g->w[2] + t.v * g->w[3]];
}
void store_c(global real* y, global const real* bias, constant const geometry* g, const place* at, const long row,
             const long column, const real value) {
  const pixel p = pixel_of(row, g->out_height, g->out_width);
  const long channel = at->group * g->out_group + column;
  y[p.image * g->y[0] + channel * g->y[1] + p.row * g->y[2] + p.column * g->y[3]] =
      g->has_bias ? value + bias[channel * g->bias_column] : value;
}
#elif defined(GRAD_INPUT)  // rows: input pixels; columns: input channels; k: taps over output channels
real load_a(global const real* dy, constant const geometry* g, const place* at, const long row, const long k) {
  const pixel p = pixel_of(row, g->height, g->width);
  const tap t = tap_of(g, k, g->out_group);
  const long i = p.row + g->padding[0] - t.u * g->dilation[0], j = p.column + g->padding[1] - t.v * g->dilation[1];
  if (i < 0 || j < 0 || i % g->stride[0] != 0 || j % g->stride[1] != 0) return (real)0;
  const long out_row = i / g->stride[0], out_column = j / g->stride[1];
  if (out_row >= g->out_height || out_column >= g->out_width) return (real)0;
  return dy[p.image * g->y[0] + (at->group * g->out_group + t.channel) * g->y[1] + out_row * g->y[2] +
            out_column * g->y[3]];
}
real load_b(global const real* w, constant const geometry* g, const place* at, const long k, const long column) {
  const tap t = tap_of(g, k, g->out_group);
  return w[(at->group * g->out_group + t.channel) * g->w[0] + column * g->w[1] + t.u * g->w[2] + t.v * g->w[3]];
}
void store_c(global real* dx, global const real* bias, constant const geometry* g, const place* at, const long row,
             const long column, const real value) {
  const pixel p = pixel_of(row, g->height, g->width);
  dx[p.image * g->x[0] + (at->group * g->in_group + column) * g->x[1] + p.row * g->x[2] + p.column * g->x[3]] = value;
}
#else  // rows: output channels; columns: taps; k: output pixels
real load_a(global const real* dy, constant const geometry* g, const place* at, const long row, const long k) {
  const pixel p = pixel_of(k, g->out_height, g->out_width);
  return dy[p.image * g->y[0] + (at->group * g->out_group + row) * g->y[1] + p.row * g->y[2] + p.column * g->y[3]];
}
real load_b(global const real* x, constant const geometry* g, const place* at, const long k, const long column) {
  const pixel p = pixel_of(k, g->out_height, g->out_width);
  const tap t = tap_of(g, column, g->in_group);
  return input_under(x, g, p.image, at->group * g->in_group + t.channel, p.row, p.column, t.u, t.v);
}
void store_c(global real* dw, global const real* bias, constant const geometry* g, const place* at, const long row,
             const long column, const real value) {
  const tap t = tap_of(g, column, g->in_group);
  dw[(at->group * g->out_group + row) * g->w[0] + t.channel * g->w[1] + t.u * g->w[2] + t.v * g->w[3]] = value;
}
#endif
