// SPDX-License-Identifier: Apache-2.0
// The loops of tests/profiler/memory/cache_streams.h as a program for cachegrind: every access a scalar load or store,
// arrays at fixed addresses. `cache_kernels KERNEL N [T]`; `cache_kernels fill KERNEL N [T]` fills the arrays and ends.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

float load(const float* p) { return *const_cast<const volatile float*>(p); }
void store(float* p, float value) { *const_cast<volatile float*>(p) = value; }

void ijk(const float* a, const float* b, float* c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += load(a + i * n + k) * load(b + k * n + j);
      store(c + i * n + j, sum);
    }
  }
}

void tiled(const float* a, const float* b, float* c, int64_t n, int64_t t) {
  for (int64_t ii = 0; ii < n; ii += t) {
    for (int64_t kk = 0; kk < n; kk += t) {
      for (int64_t jj = 0; jj < n; jj += t) {
        for (int64_t i = ii; i < std::min(ii + t, n); ++i) {
          for (int64_t k = kk; k < std::min(kk + t, n); ++k) {
            const float factor = load(a + i * n + k);
            for (int64_t j = jj; j < std::min(jj + t, n); ++j)
              store(c + i * n + j, load(c + i * n + j) + factor * load(b + k * n + j));
          }
        }
      }
    }
  }
}

void triad(const float* a, const float* b, float* c, int64_t n, int64_t repeats) {
  for (int64_t r = 0; r < repeats; ++r) {
    for (int64_t i = 0; i < n; ++i) store(c + i, load(a + i) + 3.0f * load(b + i));
  }
}

void transpose(const float* a, float* b, int64_t n, int64_t repeats) {
  for (int64_t r = 0; r < repeats; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) store(b + j * n + i, load(a + i * n + j));
    }
  }
}

void stencil(const float* a, float* b, int64_t n, int64_t rows) {
  for (int64_t i = 1; i < rows - 1; ++i) {
    for (int64_t j = 1; j < n - 1; ++j)
      store(b + i * n + j, load(a + (i - 1) * n + j) + load(a + i * n + j - 1) + load(a + i * n + j) +
                               load(a + i * n + j + 1) + load(a + (i + 1) * n + j));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const bool only_fill = count > 1 && std::string_view(arguments[1]) == "fill";
  if (only_fill) --count, ++arguments;
  if (count < 3) return 2;
  const std::string_view kernel = arguments[1];
  const int64_t n = std::atoll(arguments[2]), t = count > 3 ? std::atoll(arguments[3]) : 1;
  const int64_t elements = kernel == "triad" ? n : kernel == "stencil" ? n * t : n * n;
  const int64_t bytes = (elements * 4 + 4095) / 4096 * 4096;
  void* const wanted = reinterpret_cast<void*>(uint64_t{0x20000000});
  void* const got = mmap(wanted, static_cast<size_t>(3 * bytes), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) return 3;
  auto* const a = static_cast<float*>(got);
  float* const b = a + bytes / 4;
  float* const c = b + bytes / 4;
  for (float* const x : {a, b, c}) {
    for (int64_t i = 0; i < elements; ++i) store(x + i, 1.0f);
  }
  if (only_fill) return 0;
  if (kernel == "ijk") ijk(a, b, c, n);
  else if (kernel == "ikj") tiled(a, b, c, n, n);
  else if (kernel == "tiled") tiled(a, b, c, n, t);
  else if (kernel == "triad") triad(a, b, c, n, t);
  else if (kernel == "transpose") transpose(a, b, n, t);
  else if (kernel == "stencil") stencil(a, b, n, t);
  else return 2;
  return 0;
}
