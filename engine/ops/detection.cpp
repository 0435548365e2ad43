// SPDX-License-Identifier: Apache-2.0
// Pooling of regions by bilinear samples.
#include "engine/ops/detection.h"

#include <limits>

#include "engine/graph/roi_samples.h"
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/indexing_common.h"

namespace engine::ops {
namespace {

InferResult infer_roi_align(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("roi_align", inputs, {"x", "regions", "images"});
  if (!check.operand_count() || !check.same_dtype(0, 2) || !check.floating(0) || !check.rank(0, 4) ||
      !check.rank(1, 2) || !check_indices(check, inputs[2], "images")) {
    return check.error();
  }
  const int64_t regions = inputs[1].shape[0];
  const std::vector<int64_t> sizes = attributes.get_ints("sizes", {1, 1});
  const std::string mode = attributes.get_string("mode", "avg");
  if (!check.that(inputs[1].shape[1] == 4, "regions must be [count, 4], got {}", to_string(inputs[1].shape)) ||
      !check.shape(2, {regions}, "one for each region") ||
      !check.that(sizes.size() == 2 && sizes[0] > 0 && sizes[1] > 0, "sizes must be two positive numbers") ||
      !check.that(attributes.get_int("sampling_ratio", 0) >= 0, "sampling_ratio is {}, expected 0 or more",
                  attributes.get_int("sampling_ratio", 0)) ||
      !check.that(mode == "avg" || mode == "max", "mode is \"{}\", expected avg or max", mode) ||
      !check.that(regions == 0 || (inputs[0].shape[2] > 0 && inputs[0].shape[3] > 0), "x {} has no elements",
                  to_string(inputs[0].shape))) {
    return check.error();
  }
  const Shape shape{regions, inputs[0].shape[1], sizes[0], sizes[1]};
  if (!check.addressable("the result", inputs[0].dtype, shape)) return check.error();
  return std::vector{TensorType::contiguous(inputs[0].dtype, shape)};
}

/// Samples per bin as the attribute has them, one where the regions decide: the least. Of x, at most four elements per
/// sample are read.
Cost cost_roi_align(const Call& call) {
  const double ratio = static_cast<double>(std::max<int64_t>(1, call.attributes.get_int("sampling_ratio", 0)));
  const double samples = static_cast<double>(call.outputs[0].elements()) * ratio * ratio;
  Cost cost = full_cost(call, 8 * samples);
  cost.read_bytes[0] = named_bytes(call.inputs[0], 4 * samples);
  return cost;
}

void reference_roi_align(KernelArguments& arguments) {
  const Tensor &x = arguments.inputs[0], &y = arguments.outputs[0];
  const std::vector<double> map = load(x), regions = load(arguments.inputs[1]);
  const std::vector<int64_t> images = load_integers(arguments.inputs[2]);
  const int64_t channels = x.shape()[1], rows = x.shape()[2], columns = x.shape()[3];
  const RoiGrid grid(*arguments.attributes, rows, columns);
  const bool largest = arguments.attributes->get_string("mode", "avg") == "max";
  std::vector<double> result;
  result.reserve(static_cast<size_t>(y.type().elements()));
  for (size_t r = 0; r < images.size(); ++r) {
    const double* const region = regions.data() + 4 * r;
    const RoiAxis<double> down(grid, region[1], region[3], grid.height, rows),
        along(grid, region[0], region[2], grid.width, columns);
    const bool there = images[r] >= 0 && images[r] < x.shape()[0];
    for (int64_t c = 0; c < channels; ++c) {
      const double* const plane = there ? map.data() + (images[r] * channels + c) * rows * columns : nullptr;
      for (int64_t bin = 0; bin < grid.height * grid.width; ++bin) {
        double sum = 0, most = -std::numeric_limits<double>::infinity();
        for (int64_t i = 0; there && i < down.per_bin * along.per_bin; ++i) {
          const auto& v = down.samples[static_cast<size_t>(bin / grid.width * down.per_bin + i / along.per_bin)];
          const auto& h = along.samples[static_cast<size_t>(bin % grid.width * along.per_bin + i % along.per_bin)];
          for (const auto& [row, part] : {std::pair{v.low, v.part_low}, std::pair{v.high, v.part_high}}) {
            for (const auto& [column, share] : {std::pair{h.low, h.part_low}, std::pair{h.high, h.part_high}}) {
              const double value = plane[row * columns + column] * part * share;
              sum += value;
              most = std::max(most, value);
            }
          }
        }
        const auto count = static_cast<double>(down.per_bin * along.per_bin);
        const double made = count == 0 ? 0 : largest ? most : sum / count;
        result.push_back(there ? made : outside_value(y.dtype()));
      }
    }
  }
  store(y, result);
}

}  // namespace

const Op kRoiAlign{
    .name = "roi_align",
    .formula = "y[r,c,i,j] = mean (or largest) of bilinear samples of x[images[r],c] in bin i,j of regions[r]",
    .infer = infer_roi_align,
    .cost = cost_roi_align,
    .reference = reference_roi_align,
    .attributes = {AttributeSpec::list("sizes"), AttributeSpec::whole("sampling_ratio", 0),
                   AttributeSpec::real("spatial_scale", 1.0), AttributeSpec::whole("half_pixel", 1),
                   AttributeSpec::word("mode", "avg")},
};

ValueId roi_align(GraphBuilder& builder, ValueId x, ValueId regions, ValueId images, const RoiAlignOptions& options) {
  return builder.append1(kRoiAlign, {x, regions, images},
                         {{"sizes", std::vector<int64_t>{options.height, options.width}},
                          {"sampling_ratio", options.sampling_ratio},
                          {"spatial_scale", options.spatial_scale},
                          {"half_pixel", int64_t{options.half_pixel}},
                          {"mode", std::string(options.largest ? "max" : "avg")}});
}

std::span<const Op* const> detection_ops() {
  static constexpr const Op* kOps[] = {&kRoiAlign};
  return kOps;
}

}  // namespace engine::ops
