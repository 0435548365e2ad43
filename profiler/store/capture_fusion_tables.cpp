// SPDX-License-Identifier: Apache-2.0
// Members of fused ops and pairs of ops as rows.
#include "profiler/store/capture_fusion_tables.h"

#include <limits>
#include <string>

#include "profiler/store/capture_gpu_tables.h"

namespace profiler {

using engine::Result;
using sqlite::Database;

namespace {

Result<void> write_members(const Database& database, const FusionRecords& fusion) {
  if (Result<void> made = make_table(database, Tide::fused_members); !made) return made;
  auto row = prepare_insert(database, Tide::fused_members);
  if (!row) return row.error();
  int64_t id = 0;
  for (const FusedMemberRecord& m : fusion.members) {
    row->bind(1, id++).bind(2, int64_t{m.op}).bind(3, int64_t{m.name}).bind(4, int64_t{m.type}).bind(5, m.flops);
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

Result<void> write_pairs(const Database& database, const FusionRecords& fusion) {
  if (Result<void> made = make_table(database, Tide::fusion_pairs); !made) return made;
  auto row = prepare_insert(database, Tide::fusion_pairs);
  if (!row) return row.error();
  int64_t id = 0;
  for (const FusionPairRecord& p : fusion.pairs) {
    row->bind(1, id++).bind(2, int64_t{p.producer_op}).bind(3, int64_t{p.consumer_op}).bind(4, int64_t{p.producer});
    row->bind(5, int64_t{p.consumer}).bind(6, int64_t{p.tensor}).bind(7, p.written_bytes).bind(8, p.read_bytes);
    row->bind(9, std::string(name(p.outcome)));
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> write_fusion(const Database& database, const Capture& c) {
  if (!c.fusion().members.empty()) {
    if (Result<void> done = write_members(database, c.fusion()); !done) return done;
  }
  return c.fusion().pairs.empty() ? Result<void>{} : write_pairs(database, c.fusion());
}

void read_fused_member(TableScan& scan, CaptureBuilder& builder) {
  const Capture& c = builder.so_far();
  FusedMemberRecord m;
  m.op = scan.id(1, "opId", c.ops().size());
  m.name = scan.id(2, "nameId", c.names().size());
  m.type = scan.id(3, "typeId", c.names().size());
  m.flops = scan.real(4, "flops");
  if (!scan.failed()) builder.add_fused_member(m);
}

void read_fusion_pair(TableScan& scan, CaptureBuilder& builder) {
  const Capture& c = builder.so_far();
  FusionPairRecord p;
  p.producer_op = scan.id(1, "producerOp", c.ops().size());
  p.consumer_op = scan.id(2, "consumerOp", c.ops().size());
  p.producer = scan.id(3, "producerId", c.names().size());
  p.consumer = scan.id(4, "consumerId", c.names().size());
  p.tensor = scan.id(5, "tensorId", c.tensors().size());
  p.written_bytes = scan.count(6, "writtenBytes");
  p.read_bytes = scan.count(7, "readBytes");
  const std::string outcome = scan.text(8, "outcome");
  const auto parsed = engine::parse_fusion_outcome(outcome);
  if (!parsed) scan.fail("there is no outcome of fusion \"{}\"", outcome);
  if (scan.failed()) return;
  p.outcome = *parsed;
  builder.add_fusion_pair(p);
}

}  // namespace profiler
