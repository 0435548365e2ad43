// SPDX-License-Identifier: Apache-2.0
// Facts of kernels as rows.
#include "profiler/store/capture_kernel_tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "profiler/capture/facts_from_name.h"
#include "profiler/store/capture_gpu_tables.h"

namespace profiler {

using engine::KernelFacts;
using engine::Result;
using sqlite::Database;

namespace {

constexpr int64_t kLargestTile = 1 << 20;
constexpr int64_t kMostLanes = 1 << 16;
constexpr size_t kLongestName = 4096;  ///< of a kernel: ours have some 200 bytes, mangled templates a few thousand
constexpr std::array<std::string_view, 3> kLayouts{"as_it_lies", "channels_last", "row_major"};  // engine::CopyLayout

/// Calls f(column, flag) for the flags, in the order of their columns from kFirstFlag on.
constexpr int kFirstFlag = 11;
template <class Facts, class F>
void visit_flags(Facts& facts, F&& f) {
  f("ownGemm", facts.own_gemm), f("ownConvolution", facts.own_convolution), f("plainWeights", facts.plain_weights),
      f("perImage", facts.per_image);
  f("singleThread", facts.single_thread), f("unsplit", facts.unsplit), f("indivisible", facts.indivisible);
  f("streamingStores", facts.streaming_stores), f("roundTrip", facts.round_trip);
}

/// The enumerator whose name is the column's text.
template <class Enum, size_t kCount>
Enum enumerator(TableScan& scan, int column, const char* what, const std::array<std::string_view, kCount>& names) {
  const std::string text = scan.text(column, what);
  const auto at = std::ranges::find(names, text);
  if (at == names.end()) scan.fail("{} \"{:.40}\" is unknown", what, sqlite::shown(text));
  return at == names.end() ? Enum{} : static_cast<Enum>(at - names.begin());
}

}  // namespace

Result<void> write_facts(const Database& database, const Capture& c) {
  std::optional<sqlite::Statement> row;
  for (const OpRecord& op : c.ops()) {
    if (!c.has_facts(op.id)) continue;
    const KernelFacts& facts = c.facts(op.id);
    if (!row) {
      if (Result<void> made = make_table(database, Tide::kernel_facts); !made) return made;
      auto prepared = prepare_insert(database, Tide::kernel_facts);
      if (!prepared) return prepared.error();
      row = *std::move(prepared);
    }
    row->bind(1, int64_t{op.id})
        .bind(2, name(facts.code))
        .bind(3, name(facts.library))
        .bind(4, int64_t{facts.copies.widens});
    row->bind(5, kLayouts[static_cast<size_t>(facts.copies.layout)])
        .bind(6, int64_t{facts.winograd_tile})
        .bind(7, name(facts.packed));
    row->bind(8, name(facts.format)).bind(9, facts.not_fp8).bind(10, facts.tile_rows).bind(11, facts.tile_columns);
    visit_flags(facts,
                [&, column = kFirstFlag + 1](const char*, bool flag) mutable { row->bind(column++, int64_t{flag}); });
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

void read_kernel_facts(TableScan& scan, CaptureBuilder& builder) {
  const OpId op = scan.id(0, "opId", builder.so_far().ops().size());
  if (!scan.failed() && builder.so_far().has_facts(op)) return scan.fail("facts of op {} are there twice", op);
  KernelFacts facts;
  facts.code = enumerator<engine::CodeKind>(scan, 1, "code", engine::kCodeKindNames);
  facts.library = facts.code == engine::CodeKind::unknown
                      ? engine::KernelLibrary::unknown
                      : enumerator<engine::KernelLibrary>(scan, 2, "library", engine::kKernelLibraryNames);
  facts.copies.widens = scan.flag(3, "widens");
  facts.copies.layout = enumerator<engine::CopyLayout>(scan, 4, "copyLayout", kLayouts);
  facts.winograd_tile = static_cast<int>(scan.integer(5, "winogradTile", 0, 4));
  if (facts.winograd_tile % 2 != 0) scan.fail("winogradTile {} is none of 0, 2 and 4", facts.winograd_tile);
  facts.packed = enumerator<engine::PackedWeights>(scan, 6, "packedWeights", engine::kPackedWeightsNames);
  facts.format = enumerator<engine::ProductFormat>(scan, 7, "productFormat", engine::kProductFormatNames);
  facts.not_fp8 = scan.text(8, "notFp8");
  facts.tile_rows = scan.integer(9, "tileRows", 0, kLargestTile);
  facts.tile_columns = scan.integer(10, "tileColumns", 0, kLargestTile);
  visit_flags(facts,
              [&, column = kFirstFlag](const char* what, bool& flag) mutable { flag = scan.flag(column++, what); });
  if (!scan.failed()) builder.set_facts(op, std::move(facts));
}

Result<void> write_lane_work(const Database& database, const Capture& c) {
  std::optional<sqlite::Statement> row;
  for (const OpRecord& op : c.ops()) {
    if (!c.has_facts(op.id) || c.facts(op.id).lane_work.lanes == 0) continue;
    const engine::LaneWork& work = c.facts(op.id).lane_work;
    if (!row) {
      if (Result<void> made = make_table(database, Tide::lane_work); !made) return made;
      auto prepared = prepare_insert(database, Tide::lane_work);
      if (!prepared) return prepared.error();
      row = *std::move(prepared);
    }
    row->bind(1, int64_t{op.id}).bind(2, int64_t{work.lanes}).bind(3, work.done).bind(4, work.kept);
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

void read_lane_work(TableScan& scan, CaptureBuilder& builder) {
  const OpId op = scan.id(0, "opId", builder.so_far().ops().size());
  engine::LaneWork work;
  work.lanes = static_cast<int>(scan.integer(1, "lanes", 1, kMostLanes));
  work.done = scan.count(2, "done");
  work.kept = scan.integer(3, "kept", 0, work.done);
  if (scan.failed()) return;
  KernelFacts facts = builder.so_far().has_facts(op) ? builder.so_far().facts(op) : KernelFacts{};
  facts.lane_work = work;
  builder.set_facts(op, std::move(facts));
}

void set_facts_from_names(CaptureBuilder& builder) {
  const Capture& c = builder.so_far();
  const bool imported = !c.run().source.empty();
  std::unordered_map<NameId, KernelFacts> of_name;
  for (OpId op = 0; op < c.ops().size(); ++op) {
    const NameId kernel = c.ops()[op].kernel;
    const auto [known, added] = of_name.try_emplace(kernel);
    if (added) {
      const std::string_view name = std::string_view(c.name(kernel)).substr(0, kLongestName);
      known->second = imported ? facts_of_imported_kernel(name) : facts_from_name(name);
      known->second.name.clear();  // the op has it
    }
    KernelFacts facts = known->second;
    const auto& items = c.attributes(op).items();
    const auto told =
        std::ranges::find(items, kCodeKindKey, [](const auto& item) { return std::string_view(item.first); });
    const std::string* code = told == items.end() ? nullptr : std::get_if<std::string>(&told->second);
    for (const engine::CodeKind kind : {engine::CodeKind::library_reference, engine::CodeKind::reference}) {
      if (code != nullptr && *code == name(kind)) facts.code = kind;
    }
    builder.set_facts(op, std::move(facts));
  }
}

}  // namespace profiler
