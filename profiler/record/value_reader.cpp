// SPDX-License-Identifier: Apache-2.0
// An observer that sums up what each op wrote.
#include "profiler/record/value_reader.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "profiler/base/words.h"
#include "profiler/capture/results.h"

namespace profiler {
namespace {

using engine::Node;
using engine::Result;
using engine::Tensor;
using engine::ValueId;

class ValueObserver final : public engine::Observer {
 public:
  ValueObserver(engine::Plan& plan, uint32_t step, CaptureBuilder& builder, int64_t left)
      : plan_(plan), step_(step), builder_(builder), left_(left) {}

  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t op, int64_t, int64_t) override {
    plan_.backend().synchronize();
    read_outputs(op);
    read_views(op + 1);
  }

  void read_leaves() {
    std::vector<bool> made(plan_.graph().values().size(), false);
    for (const Node& node : plan_.graph().nodes())
      for (const ValueId id : node.outputs) made[id] = true;
    for (const engine::Value& value : plan_.graph().values())
      if (!made[value.id]) read(value.id);
    read_views(0);
  }

  void add_notes() const {
    if (cut_ > 0)
      builder_.honesty().notes.push_back(
          fmt::format("Values: {} kept whole; of {} that did not fit, {} evenly spread values each.",
                      counted(whole_, "tensor"), counted(cut_, "tensor"), kKeptElements));
    if (!failure_.empty()) builder_.honesty().notes.push_back(failure_);
  }

 private:
  void read_outputs(size_t node) {
    for (const ValueId id : plan_.graph().node(static_cast<engine::NodeId>(node)).outputs) read(id);
  }
  /// Views run nothing: they are there with the op before them, and while its bytes are.
  void read_views(size_t from) {
    const auto& nodes = plan_.graph().nodes();
    for (; from < nodes.size() && nodes[from].op->view != nullptr; ++from) read_outputs(from);
  }

  Result<Tensor> on_host(const Tensor& tensor) const {
    if (plan_.backend().info().traits().shares_host_memory) return tensor;
    Result<Tensor> host = Tensor::empty(engine::TensorType::contiguous(tensor.dtype(), tensor.shape()));
    if (!host) return host;
    if (Result<void> copied = plan_.backend().copy(tensor, *host); !copied) return copied.error();
    return host;
  }

  void read(ValueId id) {
    const auto record = [&]() -> Result<ResultRecord> {
      const Result<Tensor> host = on_host(plan_.tensor(id));
      if (!host) return host.error();
      const int64_t elements = host->type().elements(), bytes = elements * engine::size_bytes(host->dtype());
      const bool whole = bytes <= left_;
      if (whole) left_ -= bytes;
      ++(whole || elements <= kKeptElements ? whole_ : cut_);
      ResultSummary summary(host->dtype(), elements, whole);
      if (Result<void> added = summary.add(*host); !added) return added.error();
      return std::move(summary).finish();
    };
    Result<ResultRecord> result = record();
    if (!result) {
      if (failure_.empty())
        failure_ =
            fmt::format("Values of {} could not be read: {}.", plan_.graph().value(id).name, result.error().message);
      return;
    }
    result->tensor = id;
    result->step = step_;
    builder_.add_result(*std::move(result));
  }

  engine::Plan& plan_;
  uint32_t step_;
  CaptureBuilder& builder_;
  int64_t left_;
  size_t whole_ = 0, cut_ = 0;
  std::string failure_;
};

}  // namespace

void read_values(engine::Plan& plan, uint32_t step, CaptureBuilder& builder, int64_t most_bytes) {
  ValueObserver observer(plan, step, builder, most_bytes);
  observer.read_leaves();
  plan.run_step(step, &observer);
  observer.add_notes();
}

}  // namespace profiler
