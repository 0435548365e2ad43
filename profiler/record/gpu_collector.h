// SPDX-License-Identifier: Apache-2.0
// GpuCollector: what the GPU does while the recorder watches: ids around ops on the way in, activities of a capture on
// the way out.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/runtime/observer.h"
#include "profiler/gpu/joiner.h"
#include "profiler/gpu/tracer.h"

namespace profiler {

/// Passes on what it observes and holds the tracer's ids open meanwhile: around the step, and within it around each op.
class GpuObserver final : public engine::Observer {
 public:
  GpuObserver(engine::Observer& inner, GpuTracer& tracer) : inner_(inner), tracer_(tracer) {}

  void step_begin(uint32_t step, int64_t ticks) override {
    step_scope_.emplace(tracer_, ExternalKind::step, step);
    inner_.step_begin(step, ticks);
  }
  void step_end(uint32_t step, int64_t ticks) override {
    inner_.step_end(step, ticks);
    close();
  }
  void op_begin(uint32_t op) override {
    op_scope_.emplace(tracer_, ExternalKind::op, op);
    inner_.op_begin(op);
  }
  void op_done(uint32_t op, int64_t begin_ticks, int64_t end_ticks) override {
    op_scope_.reset();
    inner_.op_done(op, begin_ticks, end_ticks);
  }
  void transfer_done(uint32_t op, const engine::Transfer& transfer) override { inner_.transfer_done(op, transfer); }
  void stage_done(uint32_t op, const engine::Stage& stage) override { inner_.stage_done(op, stage); }
  /// After a step that did not come to its end.
  void close() {
    op_scope_.reset();
    step_scope_.reset();
  }

 private:
  engine::Observer& inner_;
  GpuTracer& tracer_;
  std::optional<ExternalScope> step_scope_, op_scope_;  // the op's ends first
};

/// Reads a tracer out into activities.
class GpuCollector {
 public:
  GpuCollector(GpuTracer& tracer, CaptureBuilder& builder) : tracer_(tracer), joiner_(builder) {}

  /// What has come in, between steps.
  GpuBatch read_out() { return join(tracer_.take(), false); }
  /// The rest, after the device was synchronised: nothing is traced any more.
  GpuBatch finish() { return join(tracer_.stop(), true); }
  const GpuLosses& losses() const { return joiner_.losses(); }
  /// Sentences: what the tracer could not switch on, why it gave up, what was lost.
  std::vector<std::string> notes() const;

 private:
  GpuBatch join(std::vector<GpuEvents> read_outs, bool last);

  GpuTracer& tracer_;
  GpuJoiner joiner_;
  std::vector<std::string> notes_;
};

}  // namespace profiler
