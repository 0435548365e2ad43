// SPDX-License-Identifier: Apache-2.0
// What a model, a network or a workload is made of, without running it.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/base/language_facts.h"
#include "app/base/workbench.h"

namespace app {

/// An input or output.
struct InspectedValue {
  std::string name;
  std::string dtype;                 ///< "f32"; of a file also what is no tensor: "a sequence"
  std::vector<std::string> extents;  ///< as declared: "batch", "3", "?" for an open one without a name
  engine::Shape shape;               ///< as it would be run; empty where the graph could not be made
  bool has_shape = false;
};

/// An extent that the file leaves open.
struct OpenExtent {
  std::string name;    ///< of the dimension; empty: it has none
  std::string where;   ///< "dimension 1 of input x"
  std::string option;  ///< what sets it: "--set sequence=128", "--set x.dims=1,3,224,224", "--batch 8"
};

/// All ops of one type.
struct InspectedOps {
  std::string type;
  int64_t count = 0;
  /// Compulsory, of one step; NaN: unknown (an operator of the file).
  double flops = std::numeric_limits<double>::quiet_NaN(), bytes = flops;
  std::string needed;  ///< of an operator that is not supported: what would be needed
};

struct Inspection {
  std::optional<LanguageFacts> language;  ///< of a language model
  std::string title;
  std::string producer;               ///< of a file
  int64_t opset = 0, ir_version = 0;  ///< of an ONNX file; 0: it is none
  std::vector<InspectedValue> inputs, outputs;
  std::vector<OpenExtent> open;
  std::vector<InspectedOps> operators;  ///< of an ONNX file, as it has them
  std::vector<InspectedOps> ops;        ///< of the graph, most FLOPs first; views are left out
  std::vector<std::string> notes;
  std::string why_not;  ///< why it cannot be run as asked for; empty: it can
  /// Of one step; NaN: the graph could not be made.
  double flops = std::numeric_limits<double>::quiet_NaN(), operand_bytes = flops, memory_bytes = flops,
         parameters = flops, parameter_bytes = flops;
};

/// Refused: no such workload, a file that is no model, settings that are wrong usage of a built-in workload. A model
/// that is read but cannot be run is inspected all the same.
engine::Result<Inspection> inspect(const RunRequest&);

}  // namespace app
