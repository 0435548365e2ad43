// SPDX-License-Identifier: Apache-2.0
// Whether libraries find the memory that they do not do without: where there is none, one asks without end and one
// crashes.
#pragma once

namespace engine::cpu {

/// Each thread that calls OpenBLAS takes a buffer of 128 MiB of address space for good. Where there is none,
/// blas_memory_alloc() (0.3.21) asks again, for ever. So the buffers of `threads` threads are taken here, once, where
/// this process has a limit (`ulimit -v`, `ulimit -d`) or the system grants no more than it has (vm.overcommit_memory =
/// 2). False: there is no room, and OpenBLAS must not be called.
bool openblas_has_room(int threads);

/// oneDNN 2.6 writes the code of a kernel through a null pointer where it gets no memory. True: a process with limits
/// as above has at least 64 MiB of address space left, far more than one kernel takes.
bool kernels_have_room();

/// Address space [bytes] that both of these want of a process with limits that computes on `threads` threads.
double room_of_libraries(int threads);

}  // namespace engine::cpu
