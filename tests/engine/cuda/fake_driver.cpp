// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that answers as FAKE_CUDA says: "version=13000 init=0 count=1 major=9 minor=0".
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int setting(const char* key, int otherwise) {
  const char* all = std::getenv("FAKE_CUDA");
  if (all == nullptr) return otherwise;
  const std::string text = std::string(" ") + all, wanted = std::string(" ") + key + "=";
  const size_t at = text.find(wanted);
  return at == std::string::npos ? otherwise : std::atoi(text.c_str() + at + wanted.size());
}

}  // namespace

extern "C" {
int cuInit(unsigned) { return setting("init", 0); }
int cuDriverGetVersion(int* version) {
  *version = setting("version", 13000);
  return 0;
}
int cuGetErrorName(int code, const char** text) {
  *text = code == 999 ? "CUDA_ERROR_UNKNOWN" : nullptr;
  return *text == nullptr ? 1 : 0;
}
int cuDeviceGetCount(int* count) {
  *count = setting("count", 1);
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<size_t>(length), "Imaginary GPU");
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) {
  *bytes = size_t{1} << 34;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 16: *value = 132; break;
    case 38: *value = 60 << 20; break;
    case 75: *value = setting("major", 9); break;
    case 76: *value = setting("minor", 0); break;
    case 81: *value = 228 << 10; break;
    default: return 1;
  }
  return 0;
}
}
