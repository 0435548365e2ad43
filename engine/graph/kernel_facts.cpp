// SPDX-License-Identifier: Apache-2.0
// Facts of kernels of several parts.
#include "engine/graph/kernel_facts.h"

#include <algorithm>

namespace engine {

KernelFacts joined(std::span<const KernelFacts> parts, std::string_view between) {
  KernelFacts all = unknown_facts();
  for (const KernelFacts& part : parts) {
    all.name.append(&part == parts.data() ? std::string_view() : between).append(part.name);
    all.code = std::max(all.code, part.code);
    const bool known = all.library != KernelLibrary::own && all.library != KernelLibrary::unknown;
    if (!known && part.library != KernelLibrary::unknown) all.library = part.library;
    all.copies.layout = std::max(all.copies.layout, part.copies.layout);
    all.winograd_tile = std::max(all.winograd_tile, part.winograd_tile);
    all.packed = std::max(all.packed, part.packed);
    all.format = std::max(all.format, part.format);
    if (all.not_fp8.empty()) all.not_fp8 = part.not_fp8;
    if (all.tile_rows == 0) all.tile_rows = part.tile_rows, all.tile_columns = part.tile_columns;
    all.own_gemm = all.own_gemm || part.own_gemm;
    all.own_convolution = all.own_convolution || part.own_convolution;
    all.plain_weights = all.plain_weights || part.plain_weights;
    all.per_image = all.per_image || part.per_image;
    all.single_thread = all.single_thread || part.single_thread;
    all.indivisible = all.indivisible || part.indivisible;
    all.streaming_stores = all.streaming_stores || part.streaming_stores;
    all.round_trip = all.round_trip || part.round_trip;
    if (all.lane_work.lanes == 0) all.lane_work = part.lane_work;
  }
  if (!parts.empty()) all.copies.widens = parts.front().copies.widens;
  all.unsplit = parts.size() == 1 && parts.front().unsplit;
  return all;
}

}  // namespace engine
