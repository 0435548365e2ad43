// SPDX-License-Identifier: Apache-2.0
// The fuzz target of the decoder, so that tests can run it too.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
