// SPDX-License-Identifier: Apache-2.0
// stream: McCalpin's four kernels, the plainest users of memory bandwidth.
#include <fmt/format.h>

#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// The constant of the original STREAM programme.
constexpr double kScalar = 3.0;

void build_stream(GraphBuilder& builder, const Arguments& arguments) {
  const std::string& kernel = text_argument(arguments, "kernel");
  const DType dtype = dtype_argument(arguments);
  const Shape shape{integer_argument(arguments, "n")};

  const auto array = [&](const char* array_name) {
    return builder.input(array_name, TensorType::contiguous(dtype, shape), Fill{Fill::Kind::uniform, 0, 1});
  };
  builder.set_layer(kernel);
  const ValueId a = array("a");
  ValueId c = kNoValue;
  if (kernel == "copy") c = ops::copy(builder, a);
  if (kernel == "scale") c = ops::scale(builder, a, kScalar);
  if (kernel == "add") c = ops::add(builder, a, array("b"));
  if (kernel == "triad") c = ops::scaled_add(builder, a, array("b"), kScalar);
  builder.mark_output(c);
}

}  // namespace

Workload stream_workload() {
  Workload workload;
  workload.name = "stream";
  workload.title = "STREAM";
  workload.description =
      "Copy, scale, add or triad over long arrays (McCalpin's STREAM): almost no arithmetic, so "
      "its speed is the memory "
      "bandwidth. Make n small to see each cache level in turn.";
  workload.parameters = {
      choice_parameter("kernel", "Kernel", "copy: c = a; scale: c = 3 a; add: c = a + b; triad: c = a + 3 b.",
                       {"triad", "copy", "scale", "add"}),
      integer_parameter("n", "Array length", "Elements of each array; the kernels use two or three arrays.",
                        int64_t{16} << 20, "elements"),
      dtype_parameter({"f64", "f32", "bf16", "f16"})};
  workload.small = {{"n", "1003"}};
  workload.build = build_stream;
  return workload;
}

}  // namespace engine
