// SPDX-License-Identifier: Apache-2.0
// Whether OpenBLAS finds the memory that it asks for without end.
#pragma once

namespace engine::cpu {

/// Each thread that calls OpenBLAS takes a buffer of 128 MiB of address space for good. Where there is none, blas_memory_alloc() (0.3.21)
/// asks again, for ever. So the buffers of `threads` threads are taken here, once, where this process has a limit (`ulimit -v`, `ulimit -d`)
/// or the system grants no more than it has (vm.overcommit_memory = 2). False: there is no room, and OpenBLAS must not be called.
bool openblas_has_room(int threads);

}  // namespace engine::cpu
