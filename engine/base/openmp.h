// SPDX-License-Identifier: Apache-2.0
// What openmp.cpp does where the build has OpenMP, and openmp_absent.cpp where it has not. Of this room only: others take thread_team.h, which
// also declares the functions that the two define in their own ways.
#pragma once

#include "engine/base/thread_team.h"

namespace engine::openmp {

#if defined(TENSORTIDE_WITH_OPENMP)
inline constexpr bool kBuilt = true;
#else
inline constexpr bool kBuilt = false;
#endif

/// One parallel region. Not called without OpenMP.
void run(int threads, const TeamWork&);

}  // namespace engine::openmp
