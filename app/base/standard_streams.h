// SPDX-License-Identifier: Apache-2.0
// The three streams a program begins with, there or not, and how it ends.
#pragma once

namespace app {

/// To be called first of all: puts something under descriptors 0 to 2 where they were closed (`2>&-`). Else the next
/// file that is opened becomes standard error, and messages go into it. Reading and writing what was put there fails,
/// as it did.
void guard_standard_streams();

/// To be called last of all, with the exit code. Where the address space is limited (`ulimit -v`), the program ends
/// without the libraries' exit handlers. There OpenBLAS waits for a thread of its own that requests memory for ever.
int leave(int code);

}  // namespace app
