// SPDX-License-Identifier: Apache-2.0
// Device code for a host's compiler: the words CUDA adds to C++, its vector types, and what a kernel may ask of its
// block and warp, answered by engine/simt. Sources of engine/cuda get it through the cuda_runtime_api.h of this room.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define TENSORTIDE_SIMT
#define __CUDA_ARCH__ 900  // what is between #ifdef __CUDA_ARCH__ belongs to devices: here it is compiled for one
#define __global__
#define __host__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __restrict__ __restrict
// One block runs at a time, on one thread of the host: what a thread has for itself, all fibres of the block share.
// Nothing else of a library with kernels is thread_local, or it bears being filled with 0xff: each block is given
// memory full of what no kernel wrote.
#define __shared__ static thread_local

namespace engine::simt {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};
extern Index thread_index, block_index, block_extent, grid_extent;

/// Where in the sources a thread waits.
struct Site {
  const char* file = "";
  int line = 0;
  friend bool operator==(const Site& a, const Site& b) {
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
  }
};

void sync_block(Site);
/// Waits until all lanes of the warp are here.
void sync_warp(uint32_t mask, Site);
/// Gives `bits` to the warp and waits; then lane_bits() tells what each lane gave.
void meet_warp(uint32_t mask, uint64_t bits, Site);
uint64_t lane_bits(unsigned lane);
unsigned own_lane();
/// Whether `bytes` cannot be read or written there at once, which a GPU stops at: not a multiple of `bytes`. The grid's
/// run says so.
bool refuses_address(const void* address, size_t bytes);

template <class T>
T exchange(uint32_t mask, T value, unsigned from, Site site) {
  static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable_v<T>);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  meet_warp(mask, bits, site);
  bits = lane_bits(from);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
/// The lane that __shfl_*_sync reads: outside of its part of the warp, a lane reads itself.
inline unsigned lane_within(int64_t wanted, int width) {
  const int64_t own = own_lane(), first = own / width * width;
  return static_cast<unsigned>(wanted < first || wanted >= first + width ? own : wanted);
}
inline uint32_t ballot(uint32_t mask, bool yes, Site site) {
  meet_warp(mask, yes ? 1 : 0, site);
  uint32_t all = 0;
  for (unsigned lane = 0; lane < 32; ++lane) all |= static_cast<uint32_t>(lane_bits(lane) & 1) << lane;
  return all;
}
template <class T, class F>
T update(T* at, F&& f) {
  const T before = *at;
  *at = f(before);
  return before;
}

}  // namespace engine::simt

#define TENSORTIDE_SIMT_SITE (engine::simt::Site{__FILE__, __LINE__})
#define threadIdx engine::simt::thread_index
#define blockIdx engine::simt::block_index
#define blockDim engine::simt::block_extent
#define gridDim engine::simt::grid_extent
#define __syncthreads() engine::simt::sync_block(TENSORTIDE_SIMT_SITE)
#define __syncwarp(...) engine::simt::sync_warp(0xffffffffu __VA_OPT__(&(__VA_ARGS__)), TENSORTIDE_SIMT_SITE)
#define __shfl_xor_sync(mask, value, distance) \
  engine::simt::exchange(mask, value, engine::simt::own_lane() ^ static_cast<unsigned>(distance), TENSORTIDE_SIMT_SITE)
#define __shfl_down_sync(mask, value, distance)                                                                      \
  engine::simt::exchange(mask, value, engine::simt::lane_within(int64_t{engine::simt::own_lane()} + (distance), 32), \
                         TENSORTIDE_SIMT_SITE)
#define __shfl_up_sync(mask, value, distance)                                                                        \
  engine::simt::exchange(mask, value, engine::simt::lane_within(int64_t{engine::simt::own_lane()} - (distance), 32), \
                         TENSORTIDE_SIMT_SITE)
#define __shfl_sync(mask, value, lane) \
  engine::simt::exchange(mask, value, static_cast<unsigned>(lane) % 32u, TENSORTIDE_SIMT_SITE)
#define __ballot_sync(mask, yes) engine::simt::ballot(mask, yes, TENSORTIDE_SIMT_SITE)
#define __any_sync(mask, yes) (engine::simt::ballot(mask, yes, TENSORTIDE_SIMT_SITE) != 0)
#define __all_sync(mask, yes) (engine::simt::ballot(mask, yes, TENSORTIDE_SIMT_SITE) == 0xffffffffu)

template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}

template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return engine::simt::update(at, [=](T was) { return was + value; });
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  return engine::simt::update(at, [=](T was) { return max(was, value); });
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  return engine::simt::update(at, [=](T was) { return min(was, value); });
}

template <class T>
T __ldg(const T* at) {
  return *at;
}
template <class T>
T __ldcs(const T* at) {
  return *at;
}
template <class T>
void __stwb(T* at, std::type_identity_t<T> value) {
  *at = value;
}
template <class T>
void __stcs(T* at, std::type_identity_t<T> value) {
  *at = value;
}

inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) longlong2 {
  long long x, y;
};
struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
