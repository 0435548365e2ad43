// SPDX-License-Identifier: Apache-2.0
// Which products can be done in FP8, where their rounded operands lie, and the three things such an op starts.
#include "engine/cuda/fp8.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/cublas_lt.h"
#include "engine/cuda/elementwise.h"

namespace engine::cuda {
namespace {

constexpr int64_t kAlign = 16;  // bytes; what cuBLASLt asks of FP8 matrices

int64_t up_to(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// One operand: `rows` of `depth` numbers that are multiplied with those of the other.
Fp8Operand operand_of(const Data& x, int64_t rows, int64_t depth, int64_t row_stride, int64_t depth_stride,
                      const Walk<3>& batch, int which) {
  Fp8Operand o;
  o.x = x;
  o.rows = rows;
  o.depth = depth;
  o.strides[0] = batch.axes == 1 ? batch.strides[which][0] : 0;
  o.strides[1] = row_stride;
  o.strides[2] = depth_stride;
  o.batches = o.strides[0] == 0 ? 1 : batch.count;  // one matrix for all is rounded once
  o.padded_depth = up_to(depth, Fp8Operand::kPiece);
  o.all = *make_walk<1>({o.batches, rows, depth}, {Strides{o.strides[0], row_stride, depth_stride}});
  return o;
}

/// Both operands, and where in the scratch they lie.
struct Rounding {
  Fp8Operand a, b;
  int64_t bytes = 0;

  Rounding(const Product& p, Fp8 mode)
      : a(operand_of(p.a, p.m, p.k, p.a_strides[0], p.a_strides[1], p.batch, 1)),
        b(operand_of(p.b, p.n, p.k, p.b_strides[1], p.b_strides[0], p.batch, 2)) {
    a.format = mode == Fp8::e5m2 ? Fp8Format::e5m2 : Fp8Format::e4m3;
    place(nullptr);
  }
  /// `begin` at a multiple of kLtAlignment.
  void place(std::byte* begin) {
    bytes = 0;
    const auto take = [&](int64_t size) {
      std::byte* const here = begin == nullptr ? nullptr : begin + bytes;
      bytes += up_to(size, kLtAlignment);
      return here;
    };
    for (Fp8Operand* o : {&a, &b}) {
      o->codes = reinterpret_cast<uint8_t*>(take(o->batches * o->rows * o->padded_depth));
      o->scale = reinterpret_cast<float*>(take(sizeof(float)));
      o->parts = reinterpret_cast<float*>(take(Fp8Operand::kMostParts * static_cast<int64_t>(sizeof(float))));
    }
  }
};

/// The product as cuBLASLt takes it in FP8: x transposed, y not, the depth dense in both.
LtShape shape_of(const Rounding& r, const LtShape& plain) {
  LtShape shape = plain;
  shape.x = {r.b.padded_depth, r.b.rows, r.b.padded_depth, true};
  shape.y = {r.a.padded_depth, r.a.rows, r.a.padded_depth, false};
  shape.x_step = r.b.batches == 1 ? 0 : r.b.rows * r.b.padded_depth;
  shape.y_step = r.a.batches == 1 ? 0 : r.a.rows * r.a.padded_depth;
  return shape;
}

/// cuBLASLt adds biases of 16 bits alone beside FP8; one of f32 is written into the result first, and the product added
/// to it.
bool bias_comes_first(const Product& p) { return p.bias.bytes != nullptr && p.c.dtype == DType::float32; }

/// The result filled with the bias.
std::optional<Elementwise> bias_fill(const Product& p) {
  Elementwise fill;
  fill.code = Code::cast;
  fill.operands = 1;
  fill.in[0] = p.bias.dtype;
  fill.x[0] = p.bias.bytes;
  fill.out = p.c.dtype;
  fill.y = p.c.bytes;
  const int64_t step = p.batch.axes == 1 ? p.batch.strides[0][0] : 0;
  const auto walk =
      make_walk<4>({p.batch.count, p.m, p.n}, {Strides{step, p.c_strides[0], p.c_strides[1]},
                                               Strides{0, 0, p.bias_stride}, Strides{0, 0, 0}, Strides{0, 0, 0}});
  if (!walk) return std::nullopt;
  fill.walk = *walk;
  vectorize(fill);
  return fill;
}

class Fp8Op final : public PreparedOp {
 public:
  Fp8Op(Context& context, std::string where, const Rounding& rounding, std::optional<Elementwise> bias,
        std::unique_ptr<PreparedOp> product)
      : context_(context),
        where_(std::move(where)),
        rounding_(rounding),
        bias_(std::move(bias)),
        product_(std::move(product)) {}
  void run() override {
    if (!context_.launcher.on_host) context_.activate();
    const auto started = [this](cudaError_t code) {
      if (code != cudaSuccess) context_.note(code, where_);
    };
    started(launch(context_.launcher, rounding_.a));
    started(launch(context_.launcher, rounding_.b));
    if (bias_) started(launch(context_.launcher, *bias_));
    product_->run();
  }
  KernelFacts facts() const override { return product_->facts(); }

 private:
  Context& context_;
  const std::string where_;
  const Rounding rounding_;
  const std::optional<Elementwise> bias_;
  const std::unique_ptr<PreparedOp> product_;
};

}  // namespace

int64_t Fp8Operand::part_count() const {
  constexpr int64_t kLengthOfPart = 16384;
  return std::clamp<int64_t>((all.count + kLengthOfPart - 1) / kLengthOfPart, 1, kMostParts);
}

std::string fp8_obstacle(const Context& context, const Product& p) {
  if (context.cublas_lt == nullptr) return "cuBLASLt is not here";
  if (!is_floating(p.c.dtype) || p.c.dtype == DType::float64)
    return fmt::format("{} is not rounded to 8 bits", name(p.c.dtype));
  if (p.k == 0) return "nothing is summed";
  const std::optional<LtShape> shape = lt_result_shape(p);
  if (!shape) return "cuBLASLt refuses the layout of the matrices";
  if (p.n % kAlign != 0) return fmt::format("its {} columns are no multiple of {}", p.n, kAlign);
  const auto aligned = [&](int64_t elements) { return elements * size_bytes(p.c.dtype) % kAlign == 0; };
  if (!aligned(shape->d.leading) || !aligned(shape->d_step))
    return fmt::format("rows of its result do not begin at multiples of {} bytes", kAlign);
  return {};
}

std::string not_fp8_words(const std::string& obstacle) { return obstacle.empty() ? "" : "; not fp8: " + obstacle; }

int64_t fp8_workspace(const Context& context, const Product& p) {
  if (!fp8_obstacle(context, p).empty()) return 0;
  return lt_workspace_bytes(context.capability) + kLtAlignment + Rounding(p, context.fp8).bytes;
}

PreparedKernel prepare_fp8(Context& context, const PrepareRequest& request, const Product& product, std::string& why) {
  why = fp8_obstacle(context, product);
  if (why.empty() && reinterpret_cast<uintptr_t>(product.c.bytes) % kAlign != 0)
    why = fmt::format("its result does not begin at a multiple of {} bytes", kAlign);
  if (!why.empty()) return std::unique_ptr<PreparedOp>();
  Rounding rounding(product, context.fp8);
  rounding.place(lt_scratch(request) + up_to(lt_workspace_bytes(context.capability), kLtAlignment));
  std::optional<Elementwise> bias = bias_comes_first(product) ? bias_fill(product) : std::nullopt;
  LtOperands operands;
  operands.x = rounding.b.codes;
  operands.y = rounding.a.codes;
  operands.x_type = CUDA_R_8F_E4M3;
  operands.y_type = rounding.a.format == Fp8Format::e5m2 ? CUDA_R_8F_E5M2 : CUDA_R_8F_E4M3;
  operands.x_scale = rounding.b.scale;
  operands.y_scale = rounding.a.scale;
  operands.adds = bias.has_value();
  operands.format = ProductFormat::fp8;
  operands.words =
      fmt::format(", fp8 {} x e4m3, a scale per tensor{}", rounding.a.format == Fp8Format::e5m2 ? "e5m2" : "e4m3",
                  rounding.a.padded_depth == product.k
                      ? ""
                      : fmt::format(", depth {} filled up to {}", product.k, rounding.a.padded_depth));
  Product told = product;
  if (bias) told.bias = {};
  PreparedKernel made = prepare_lt(context, request, told, shape_of(rounding, *lt_result_shape(product)), operands);
  if (!made) return made;
  if (*made == nullptr) {
    why = "cuBLASLt has no algorithm for it";
    return made;
  }
  return std::unique_ptr<PreparedOp>(
      std::make_unique<Fp8Op>(context, fmt::format("[{}] {}", request.node.op->name, request.node.layer), rounding,
                              std::move(bias), *std::move(made)));
}

}  // namespace engine::cuda
