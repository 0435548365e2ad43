// SPDX-License-Identifier: Apache-2.0
// What libgomp_entries.cpp says where it is left out: a build without oneDNN, or with one whose threads are not ours.
#include "engine/base/thread_team.h"

int engine::largest_team() {
#if defined(TENSORTIDE_LIBRARY_THREADS)
  return 0;
#else
  return detail::largest_team;
#endif
}
