// SPDX-License-Identifier: Apache-2.0
// Closed forms of sectors, and a capture's ops as tiles and streams.
#include "profiler/memory/gpu_sectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/ops/ops.h"
#include "profiler/memory/op_access.h"
#include "profiler/memory/traffic_bounds.h"

namespace profiler {
namespace {

constexpr int kLanes = 32;

double ceil_div(int64_t a, int64_t b) { return static_cast<double>((a + b - 1) / b); }

/// Distinct panels over all waves, rows and columns of tiles.
struct Panels {
  double rows = 0, columns = 0;
};
Panels panels_of(int64_t tile_rows, int64_t tile_columns, int64_t wave) {
  Panels sum;
  const int64_t tiles = tile_rows * tile_columns;
  for (int64_t first = 0; first < tiles; first += wave) {
    const int64_t last = std::min(first + wave, tiles) - 1;
    sum.rows += static_cast<double>(last / tile_columns - first / tile_columns + 1);
    sum.columns += static_cast<double>(std::min(tile_columns, last - first + 1));
  }
  return sum;
}

/// Rank-2 extents of a product, leading axes of the left operand folded into its rows; nothing where it is no plain
/// product.
std::optional<TiledProduct> product_of(const Capture& capture, const OpRecord& op) {
  const std::string_view type = capture.name(op.type);
  if (type != "matmul" && type != "linear") return {};
  const auto operands = capture.operands(op);
  if (operands.size() < 3) return {};
  const TensorRecord &a = capture.tensors()[operands[0].tensor], &b = capture.tensors()[operands[1].tensor];
  const auto out = std::ranges::find(operands, true, &OperandRecord::output);
  if (out == operands.end() || a.shape.size() < 2 || b.shape.size() != 2) return {};
  const TensorRecord& c = capture.tensors()[out->tensor];
  if (c.shape.size() < 2) return {};
  double rows = 1;
  for (size_t i = 0; i + 1 < c.shape.size(); ++i) rows *= static_cast<double>(c.shape[i]);
  if (!(rows >= 1 && rows < 1e12) || c.shape.back() < 1 || a.shape.back() < 1) return {};
  TiledProduct product;
  product.m = static_cast<int64_t>(rows), product.n = c.shape.back(), product.k = a.shape.back();
  product.operand_bytes = static_cast<int>(engine::size_bytes(a.dtype)),
  product.result_bytes = static_cast<int>(engine::size_bytes(c.dtype));
  return product;
}

void add(TrafficSource& source, OpId op, const SectorTraffic& s, double band) {
  const double sector = kSectorBytes;
  source.records.push_back({.op = op,
                            .link = 0,
                            .read_bytes = s.l2_misses * sector,
                            .written_bytes = s.dram_writes * sector,
                            .write_allocate_bytes = 0,
                            .hits = s.l2_hits(),
                            .misses = s.l2_misses,
                            .error_band = 0.05 + band});
  source.records.push_back({.op = op,
                            .link = 1,
                            .read_bytes = s.l1_reads * sector,
                            .written_bytes = s.l2_writes * sector,
                            .write_allocate_bytes = 0,
                            .error_band = 0.02 + band});
}

}  // namespace

int sectors_of_request(std::span<const uint64_t> addresses, int bytes) {
  std::set<uint64_t> sectors;
  for (const uint64_t address : addresses) {
    for (uint64_t s = address / kSectorBytes;
         s <= (address + static_cast<uint64_t>(std::max(1, bytes)) - 1) / kSectorBytes; ++s)
      sectors.insert(s);
  }
  return static_cast<int>(sectors.size());
}

int sectors_of_strided_request(uint64_t address, int64_t stride, int bytes) {
  std::array<uint64_t, kLanes> addresses{};
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[static_cast<size_t>(lane)] = address + static_cast<uint64_t>(lane * stride);
  return sectors_of_request(addresses, bytes);
}

SectorTraffic sectors_of(const TiledProduct& p, const GpuShape& gpu) {
  const auto sectors = [](int64_t x, int64_t y, int bytes) {
    return static_cast<double>(x) * static_cast<double>(y) * bytes / kSectorBytes;
  };
  const double a = sectors(p.m, p.k, p.operand_bytes), b = sectors(p.k, p.n, p.operand_bytes),
               c = sectors(p.m, p.n, p.result_bytes);
  const double tile_rows = ceil_div(p.m, p.tile_m), tile_columns = ceil_div(p.n, p.tile_n);
  const double half_l2 = static_cast<double>(gpu.l2_bytes) / 2 / kSectorBytes, read_c = p.reads_result ? c : 0;
  SectorTraffic s;
  s.l1_reads = a * tile_columns + b * tile_rows + read_c;
  const int64_t wave = int64_t{std::max(1, gpu.multiprocessors)} * std::max(1, gpu.blocks_per_multiprocessor);
  const double waves = tile_rows * tile_columns / static_cast<double>(wave);
  constexpr double kMostWaves = 1e7;  // counted one by one; beyond, all of them as the first
  if (waves <= 1 || a + b <= half_l2) {
    s.l2_misses = a + b + read_c;
  } else if (waves > kMostWaves) {
    s.l2_misses = s.l1_reads;
  } else {
    const Panels panels = panels_of(static_cast<int64_t>(tile_rows), static_cast<int64_t>(tile_columns), wave);
    s.l2_misses = panels.rows * a / tile_rows + panels.columns * b / tile_columns + read_c;
  }
  s.l2_writes = c * p.store_amplification;
  s.dram_writes = std::max(0.0, c - half_l2);
  return s;
}

SectorTraffic sectors_of_stream(double read_bytes, double written_bytes, const GpuShape& gpu) {
  SectorTraffic s;
  s.l1_reads = s.l2_misses = std::ceil(read_bytes / kSectorBytes);
  s.l2_writes = std::ceil(written_bytes / kSectorBytes);
  s.dram_writes = std::max(0.0, s.l2_writes - static_cast<double>(gpu.l2_bytes) / 2 / kSectorBytes);
  return s;
}

std::optional<TrafficSource> gpu_sector_traffic(const Capture& capture) {
  if (capture.device().vendor != engine::Vendor::nvidia || capture.gpu().devices.empty()) return {};
  const GpuDevice& device = capture.gpu().devices.front();
  if (device.multiprocessors <= 0 || device.l2_bytes <= 0) return {};
  const GpuShape gpu{.multiprocessors = device.multiprocessors, .l2_bytes = device.l2_bytes};
  TrafficSource source;
  source.origin = Origin::modelled;
  source.policy = fmt::format(
      "sectors of 32 bytes, one block on each of {} multiprocessors, L2 {:.4g} MiB of which half stays dirty",
      gpu.multiprocessors, static_cast<double>(gpu.l2_bytes) / 1048576);
  source.method =
      "Modelled: tiles and waves of GEMMs, other regular ops as coalesced streams, caches cold "
      "before each "
      "kernel; " +
      source.policy + ".";
  source.links = {{"DRAM", "L2", static_cast<double>(gpu.l2_bytes)}, {"L2", "L1", kUnknownBytes}};
  source.op_notes.resize(capture.ops().size());
  for (const OpRecord& record : capture.ops()) {
    if (record.view) continue;
    if (std::optional<TiledProduct> product = product_of(capture, record)) {
      const engine::KernelFacts& kernel = capture.facts(record.id);
      const bool known = kernel.tile_rows > 0 && kernel.tile_columns > 0;
      if (known) product->tile_m = kernel.tile_rows, product->tile_n = kernel.tile_columns;
      source.op_notes[record.id] =
          known ? fmt::format("tiles of {} x {} (from the kernel)", kernel.tile_rows, kernel.tile_columns)
                : "tiles of 128 x 128 assumed";
      add(source, record.id, sectors_of(*product, gpu), known ? 0 : 0.2);
      continue;
    }
    const engine::Op* op = engine::find_op(capture.name(record.type));
    if (op == nullptr || op->matrix_product || std::isnan(record.flops)) {
      source.op_notes[record.id] = "not modelled: no tiles of this op are known";
      source.records.push_back({.op = record.id, .link = 0});
      source.records.push_back({.op = record.id, .link = 1});
      continue;
    }
    const TrafficBounds bounds = traffic_bounds(capture, record, kUnknownBytes);
    source.op_notes[record.id] = "coalesced streams assumed";
    add(source, record.id, sectors_of_stream(bounds.compulsory_read, bounds.compulsory_written, gpu), 0.1);
  }
  return source;
}

}  // namespace profiler
