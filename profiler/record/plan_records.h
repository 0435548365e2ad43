// SPDX-License-Identifier: Apache-2.0
// What is known of a run before it starts: its tensors, ops, exact costs and memory.
#pragma once

#include "engine/eager/session.h"
#include "engine/runtime/plan.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {

/// Adds tensors (id = value id) and ops (id = node id) of a plan, and its memory to the run info.
/// Op names are made unique: "layer1.0.conv2/conv2d", then ".../conv2d#2".
void add_plan(CaptureBuilder& builder, const engine::Plan& plan);
/// The same of an eager session's announced `graph`: the arena is the session's pool.
void add_session(CaptureBuilder& builder, const engine::EagerSession& session, const engine::Graph& graph);

/// The same of a graph that only was planned: workspace is not known yet, and of kernels only those that `backend`
/// (null: any) will do less arithmetic with than the ops' definitions. `eager`: weights are no constants there.
void add_planned(CaptureBuilder& builder, const engine::Graph& graph, const engine::MemoryPlan& memory,
                 const engine::Backend* backend = nullptr, bool eager = false);

}  // namespace profiler
