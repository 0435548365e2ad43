// SPDX-License-Identifier: Apache-2.0
// Workbench: the composition root. Turns "run this" into graph, backend, roofs and recorder.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/devices.h"
#include "app/base/given_inputs.h"
#include "engine/base/result.h"
#include "engine/workloads/workload.h"
#include "profiler/capture/capture.h"
#include "profiler/record/collector.h"
#include "profiler/record/recorder.h"

namespace app {

/// What becomes of a run's outputs.
struct OutputRequest {
  std::filesystem::path save;       ///< a folder for NAME.npy; empty: none
  std::filesystem::path check;      ///< a folder of expected ones, NAME.npy or output_K.pb; empty: none
  std::optional<double> tolerance;  ///< of floats, relative to the largest expected magnitude; see check_output()
  bool empty() const { return save.empty() && check.empty(); }
};

/// What a user asks to be run.
struct RunRequest {
  std::string workload;                ///< a workload's name, or the path of an .onnx file or of a network in .json
  std::string preset;                  ///< empty: none; its arguments come before `settings`
  engine::Arguments settings;          ///< batch, dtype, mode and any --set key=value
  GivenInputs inputs = {};             ///< files that its inputs hold; else they are filled
  std::filesystem::path weights = {};  ///< a file that its parameters come from; empty: they are filled
  OutputRequest outputs = {};          ///< not part of words_of()
  std::string device = "cpu";
  /// Settings of the run by name, of those without a member here: {"fuse", "on"}; what is not there is usual. See
  /// app/base/run_settings.h.
  engine::Arguments run;
  int threads = 0;        ///< 0: all physical cores
  int steps = 0;          ///< 0: auto
  int warmup_steps = -1;  ///< -1: auto
  uint64_t seed = 1;
  profiler::CollectorNames collect = {};  ///< what is recorded besides what every run has: profiler::collectors()
  bool cupti_cost = true;                 ///< with "cupti": its cost, measured against an earlier process without it
  double simulate_seconds = 60;           ///< how long "simulate" may take; see profiler::StepSimulationRequest
  std::filesystem::path
      roofs;  ///< roofs from this file (what `tensortide probe --json` prints) instead of remembered or measured ones
  bool probe =
      true;  ///< measure the roofs first when they are not remembered (for `threads`), and DRAM's again beside the run
  std::filesystem::path output;
  std::string command;

  /// The value of a run setting.
  std::string setting(std::string_view name) const;
  /// Whether a setting with fixed values has this one.
  bool is(std::string_view name, std::string_view value) const;
  /// What its settings say to a device.
  DeviceOptions device_options() const;
};

/// The words after `tensortide run` that repeat it, what is usual left out: "resnet50" "--batch" "4". Without output,
/// command, probe and cupti_cost.
std::vector<std::string> words_of(const RunRequest&);

/// The request that a capture was made of, for what its step is; `workload`: its name, or where its model file lies.
/// Without measurement.
RunRequest request_of(const profiler::RunInfo&, const std::string& workload);

/// The request as its capture names it: paths relative to the folder of `output`, none through a home folder
/// (stored_path()).
RunRequest stored_request(RunRequest);

using Progress = std::function<void(const profiler::RecordProgress&)>;

struct OutputReport;

/// Runs, records, and writes `output`. Every refusal is in words: see Error. `report`: of the request's outputs, which
/// are those of the last step; null: nobody asks.
engine::Result<std::shared_ptr<const profiler::Capture>> record(const RunRequest&, const Progress&,
                                                                const std::atomic<bool>& stop,
                                                                OutputReport* report = nullptr);

/// Roofs out of a file that `tensortide probe --json` printed. Refused, naming the file and what is wrong with it.
engine::Result<profiler::Machine> roofs_from(const std::filesystem::path&);

/// Runs steps (3 where auto) without recording and looks at what every op made. A sentence naming the first op that
/// made NaN or infinity, its layer and its step; nothing when there is none.
engine::Result<std::optional<std::string>> check_finite(const RunRequest&, const std::atomic<bool>& stop);

/// Roofs that may be remembered, or must be of these minutes: on a shared machine the bandwidth of memory halves and
/// doubles within hours.
enum class RoofsAge : uint8_t { any, minutes };

/// The remembered roofs of this machine, else measures and remembers them (at most 20 s). RoofsAge::minutes: where they
/// were measured more than ten minutes ago, arithmetic and bandwidth are measured again (some 3 s). Low-confidence
/// roofs (profiler::roofs_weakness) count for ten minutes in either case. Then all is measured again, and the better
/// reading of each figure counts (profiler::remember_probe). They never replace valid roofs. Roofs for `threads` (0:
/// all physical cores) are added where they are missing, up to four times the hardware threads. One process measures at
/// a time (ProbeLock).
engine::Result<profiler::Machine> machine_roofs(RoofsAge, int threads, const Progress&, const std::atomic<bool>& stop);

/// What is known of a run before anything is allocated.
struct PlannedRun {
  std::string title;
  std::shared_ptr<const profiler::Capture>
      capture;               ///< ops, tensors and roofs, no times; null where sizes pass 63 bits
  std::string does_not_fit;  ///< why memory does not suffice, with both figures; empty: it does
};
engine::Result<PlannedRun> plan(const RunRequest&, const profiler::Machine& roofs);

/// Whether a workload is the path of a model file (.onnx, or with a slash and not .json).
bool names_model_file(const std::string& workload);

/// The graph of a request, before anything is planned or allocated.
struct RequestedGraph {
  std::string title;
  std::shared_ptr<const engine::Graph> graph;
  std::vector<std::pair<std::string, engine::ValueId>> outputs = {};  ///< under the names of the model
  std::vector<std::string> notes = {};                                ///< what of a model file was taken or ignored
  engine::Arguments arguments = {};  ///< complete, as a capture of the request keeps them
};
engine::Result<RequestedGraph> requested_graph(const RunRequest&);

/// A file name for a new capture in `directory`: "resnet50.tide", then "resnet50-2.tide", ...: the first that does not
/// exist.
std::filesystem::path new_capture_path(const std::filesystem::path& directory, const std::string& workload);

}  // namespace app
