// SPDX-License-Identifier: Apache-2.0
// mixed_linear: few rows of x (decode) meet the weights as they stream by; many (prefill) meet panels of them: of bytes
// where the processor multiplies those, else widened to f32, by our own products.
#include "engine/kernels/gemm/mixed_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/gemm/mixed_linear_simd.h"
#include "engine/tensor/quantization.h"

namespace engine::cpu {
namespace {

/// Rows of x up to which the weights are used as they stream by (measured: widening pays from about nine on).
constexpr int64_t kFewRows = 8;
/// Bytes of a panel of weights, and rows it has at most and at least.
constexpr int64_t kPanelBytes = 1 << 20, kMostPanelRows = 256, kFewestPanelRows = 16;
static_assert(kFewestPanelRows % kMixedGroup == 0);

std::optional<MixedFormat> format_of(DType dtype) {
  switch (dtype) {
    case DType::bfloat16: return MixedFormat::bf16;
    case DType::float16: return MixedFormat::f16;
    case DType::int8: return MixedFormat::q8;
    case DType::uint8: return MixedFormat::q4;
    default: return std::nullopt;
  }
}
const char* name_of(MixedFormat format) {
  constexpr const char* kNames[] = {"bf16", "f16", "8-bit blocks", "4-bit blocks"};
  return kNames[static_cast<size_t>(format)];
}

struct Shapes {
  int64_t m = 0, n = 0, k = 0;
  bool blocks = false, bytes = false;  ///< weights in blocks; and their products are of bytes

  bool streams() const { return m <= kFewRows; }
  bool packs() const { return bytes && !streams(); }
  bool widens() const { return !bytes && !streams(); }
  int64_t panel_rows() const {
    const int64_t row = packs() ? mixed_group_bytes(k) / kMixedGroup : std::max<int64_t>(k, 1) * 4;
    const int64_t fit = kPanelBytes / std::max<int64_t>(row, 1) / kFewestPanelRows * kFewestPanelRows;
    return std::clamp(fit, kFewestPanelRows, kMostPanelRows);
  }
  int64_t gemm_elements() const { return gemm_loops_f32().workspace_elements(m, panel_rows(), k); }
};

Shapes shapes_of(const TensorType& x, const TensorType& w, bool blocks) {
  const int64_t k = x.shape.back();
  const bool bytes = blocks && mixed_loops(*format_of(w.dtype)).many != nullptr;
  return {k > 0 ? x.elements() / k : 0, w.shape[0], k, blocks, bytes};
}

int64_t lines(int64_t bytes) { return static_cast<int64_t>(whole_lines(static_cast<size_t>(bytes))); }

/// Where in the workspace lies what; offsets in bytes.
struct Places {
  explicit Places(const Shapes& s) {
    if (s.blocks) {
      rounded = take(s.m * s.k);
      scales = take(s.m * s.k / kBlock * 4);
      sums = take(s.m * s.k / kBlock * 4);
    }
    if (s.widens() && s.blocks) values = take(s.m * s.k * 4);
    if (s.widens()) each = lines(s.panel_rows() * s.k * 4) + lines(s.gemm_elements() * 4);
    if (s.packs()) each = lines(s.panel_rows() / kMixedGroup * mixed_group_bytes(s.k));
    threads = all;
  }
  int64_t bytes(int count) const { return all + each * count; }

  int64_t rounded = 0, scales = 0, sums = 0, values = 0, threads = 0, each = 0;

 private:
  int64_t take(int64_t bytes) {
    const int64_t at = all;
    all += lines(bytes);
    return at;
  }
  int64_t all = 0;
};

class MixedLinear final : public PreparedOp {
 public:
  MixedLinear(const PrepareRequest& request, MixedFormat format, const Shapes& shapes, int threads)
      : tensors_(request.arguments),
        format_(format),
        s_(shapes),
        places_(shapes),
        threads_(threads),
        workspace_(request.workspace),
        loops_(mixed_loops(format)) {
    x_ = {s_.m, s_.k, tensors_.inputs[0].data_as<const float>()};
    if (!s_.blocks) return;
    x_.rounded = at<int8_t>(places_.rounded);
    x_.scales = at<float>(places_.scales);
    x_.sums = at<float>(places_.sums);
    x_.starts = at<int32_t>(places_.sums);  // many rows take no sums
  }

  void run() override {
    if (s_.blocks) round();
    const double work = static_cast<double>(s_.m) * static_cast<double>(s_.n) * static_cast<double>(s_.k);
    parallel_parts(threads_, s_.n, kFewestPanelRows, streaming_work(work), [&](int64_t begin, int64_t end) {
      if (s_.streams()) loops_.products(x_, weights(begin, end), y() + begin, s_.n);
      else if (s_.packs()) by_packed_panels(begin, end);
      else by_widened_panels(begin, end);
    });
  }
  KernelFacts facts() const override {
    const bool of_bytes = s_.blocks && !s_.widens();
    return {
        .name = fmt::format("own {} of {} ({}{}{})", s_.streams() ? "gemv" : "gemm", name_of(format_), vector_unit(),
                            of_bytes && *loops_.unit != '\0' ? ", " : "", of_bytes ? loops_.unit : ""),
        .format = of_bytes ? ProductFormat::int8 : ProductFormat::as_it_is,
        .own_gemm = !s_.streams()};
  }

 private:
  template <class T>
  T* at(int64_t place) const {
    return reinterpret_cast<T*>(workspace_ + place);
  }
  float* y() const { return tensors_.outputs[0].data_as<float>(); }

  MixedWeights weights(int64_t begin, int64_t end) const {
    const Tensor& w = tensors_.inputs[1];
    const uint16_t* scales =
        s_.blocks ? tensors_.inputs[2].data_as<const uint16_t>() + begin * (s_.k / kBlock) : nullptr;
    return {w.data() + begin * w.shape()[1] * size_bytes(w.dtype()), scales, end - begin};
  }

  void round() {
    const int64_t blocks = s_.m * s_.k / kBlock;
    auto* const rounded = at<int8_t>(places_.rounded);
    auto *const scales = at<float>(places_.scales), *const sums = at<float>(places_.sums);
    auto* const starts = at<int32_t>(places_.sums);
    float* const values = s_.widens() ? at<float>(places_.values) : nullptr;
    parallel_parts(threads_, blocks, 1, s_.m * s_.k, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        int8_t* const to = rounded + b * kBlock;
        scales[b] = round_block(x_.x + b * kBlock, to);
        int32_t sum = 0;
        for (int64_t i = 0; i < kBlock; ++i) sum += to[i];
        if (s_.packs()) starts[b] = loops_.start * sum;
        else sums[b] = static_cast<float>(sum);
        if (values == nullptr) continue;
        for (int64_t i = 0; i < kBlock; ++i) values[b * kBlock + i] = scales[b] * static_cast<float>(to[i]);
      }
    });
  }

  void by_packed_panels(int64_t begin, int64_t end) {
    std::byte* const panel = at<std::byte>(places_.threads + team_member() * places_.each);
    const int64_t rows = s_.panel_rows();
    for (int64_t first = begin; first < end; first += rows) {
      const int64_t count = std::min(rows, end - first);
      loops_.pack(weights(first, first + count), s_.k, panel);
      loops_.many(x_, panel, count, y() + first, s_.n);
    }
  }

  void by_widened_panels(int64_t begin, int64_t end) {
    const int64_t rows = s_.panel_rows();
    float* const panel = at<float>(places_.threads + team_member() * places_.each);
    float* const scratch = panel + lines(rows * s_.k * 4) / 4;
    const GemmLoops<float> gemm = gemm_loops_f32();
    for (int64_t first = begin; first < end; first += rows) {
      const int64_t count = std::min(rows, end - first);
      for (int64_t row = 0; row < count; ++row)
        loops_.widen(weights(first + row, first + row + 1), s_.k, panel + row * s_.k);
      GemmProblem<float> p{.a = {s_.blocks ? at<const float>(places_.values) : x_.x, s_.k, 1}, .b = {panel, 1, s_.k}};
      p.c = y() + first;
      p.c_row = s_.n;
      p.m = s_.m, p.n = count, p.k = s_.k;
      gemm.multiply(p, scratch);
    }
  }

  KernelArguments tensors_;
  MixedFormat format_;
  Shapes s_;
  Places places_;
  int threads_;
  std::byte* workspace_;
  MixedLoops loops_;
  MixedRows x_;
};

bool takes(const TensorType& x, const TensorType& w, const TensorType* scales) {
  const auto dense = [](const TensorType& type) { return is_contiguous(type.shape, type.strides); };
  return x.dtype == DType::float32 && format_of(w.dtype).has_value() && x.elements() > 0 && w.shape[0] > 0 &&
         dense(x) && dense(w) && (scales == nullptr || (scales->dtype == DType::float16 && dense(*scales))) &&
         gemm_loops_f32().multiply != nullptr && x.elements() <= INT32_MAX;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_mixed_linear(Context& context, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const bool blocks = in.size() > 2;
  const Tensor& y = request.arguments.outputs[0];
  if (!takes(in[0].type(), in[1].type(), blocks ? &in[2].type() : nullptr) || !is_contiguous(y.shape(), y.strides()))
    return nullptr;
  return std::make_unique<MixedLinear>(request, *format_of(in[1].dtype()),
                                       shapes_of(in[0].type(), in[1].type(), blocks), context.threads);
}

int64_t mixed_linear_workspace(Context& context, const Node& /*node*/, const Call& call) {
  const bool blocks = call.inputs.size() > 2;
  if (!takes(call.inputs[0], call.inputs[1], blocks ? &call.inputs[2] : nullptr)) return 0;
  return Places(shapes_of(call.inputs[0], call.inputs[1], blocks)).bytes(context.threads);
}

}  // namespace engine::cpu
