// SPDX-License-Identifier: Apache-2.0
// Grids of blocks of threads, run thread by thread as CUDA's execution model allows: what a kernel does must not depend
// on whose turn it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/simt/device_code.h"

namespace engine::simt {

/// Whose turn is next: threads by their number, or in the other direction, or in any order; or warp after warp as far
/// as each gets.
enum class Order : uint8_t { forward, reverse, shuffled, warp_by_warp, warp_by_warp_reverse };
inline constexpr std::array kOrders{Order::forward, Order::reverse, Order::warp_by_warp, Order::warp_by_warp_reverse,
                                    Order::shuffled};

/// A barrier that threads have waited at, in any grid since the list was cleared.
struct Barrier {
  Site site;
  bool of_block = false;  ///< else of a warp
  uint64_t waits = 0;
};

/// How grids run, for the whole process. Tests change it.
struct Settings {
  Order order = Order::forward;
  bool poison =
      true;  ///< each block finds its shared memory full of 0xff: NaN in every format, -1 in every whole number
  /// A mutation: threads walk past the barriers of this site.
  Site dropped;
  /// A mutation: the last block (or, of one block, its first thread) is not there.
  bool one_missing = false;
};
Settings& settings();
std::vector<Barrier>& barriers();

struct Launch {
  unsigned blocks = 0, threads = 0;
  std::function<void()> kernel;  ///< of one thread
};

inline constexpr unsigned kMostThreads = 1024, kWarpThreads = 32;

/// Runs all blocks, one after the other. Returns what a GPU would not have let pass, or not have answered alike each
/// time: a barrier that some threads of a block never reach, lanes that meet at different places; empty: nothing. One
/// grid runs at a time.
std::string run_grid(const Launch&);

}  // namespace engine::simt
