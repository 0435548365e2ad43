// SPDX-License-Identifier: Apache-2.0
// The three streams a program begins with, there or not.
#pragma once

namespace app {

/// To be called first of all: puts something under descriptors 0 to 2 where they were closed (`2>&-`). Else the next file that is opened becomes standard
/// error, and what is told goes into it. Reading and writing what was put there fails, as it did.
void guard_standard_streams();

}  // namespace app
