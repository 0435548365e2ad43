// SPDX-License-Identifier: Apache-2.0
// A library with a version to be searched for.
#include <cstddef>

extern "C" __attribute__((visibility("default"))) size_t fake_version() { return FAKE_VERSION; }
