// SPDX-License-Identifier: Apache-2.0
// matmul and linear by oneDNN; matmul_choice.cpp says whose turn it is. Transposed views cost nothing.
#include <new>
#include <optional>
#include <string>
#include <type_traits>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/onednn/dnnl_support.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;

struct MatmulProblem {
  Descriptor a, b, c;
  std::optional<Descriptor> bias;
};

/// `type` with leading axes of extent 1 up to `rank`; axes repeated with stride 0 become extent 1
/// (oneDNN broadcasts them).
std::optional<Descriptor> batched_desc(TensorType type, size_t rank) {
  while (type.shape.size() < rank) {
    type.shape.insert(type.shape.begin(), 1);
    type.strides.insert(type.strides.begin(), 1);
  }
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    if (type.strides[axis] == 0) type.shape[axis] = 1;
  }
  return strided_desc(type);
}

std::optional<MatmulProblem> matmul_problem(const Call& call) {
  const size_t rank = call.outputs[0].shape.size();
  const auto a = batched_desc(call.inputs[0], rank), b = batched_desc(call.inputs[1], rank),
             c = strided_desc(call.outputs[0]);
  if (!a || !b || !c) return std::nullopt;
  for (size_t axis = 0; axis + 2 < rank; ++axis) {  // both operands repeated along one axis: the reference's case
    if (std::max(a->dims()[axis], b->dims()[axis]) != c->dims()[axis]) return std::nullopt;
  }
  return MatmulProblem{.a = *a, .b = *b, .c = *c, .bias = std::nullopt};
}

/// linear: y = x weight^T + bias, the weight seen through swapped strides.
std::optional<MatmulProblem> linear_problem(const Call& call) {
  TensorType transposed = call.inputs[1];
  std::swap(transposed.shape[0], transposed.shape[1]);
  std::swap(transposed.strides[0], transposed.strides[1]);
  const auto a = strided_desc(call.inputs[0]), b = strided_desc(transposed), c = strided_desc(call.outputs[0]);
  if (!a || !b || !c) return std::nullopt;
  MatmulProblem p{.a = *a, .b = *b, .c = *c, .bias = std::nullopt};
  if (call.inputs.size() > 2) {
    if (!is_contiguous(call.inputs[2].shape, call.inputs[2].strides)) return std::nullopt;
    p.bias = Descriptor({1, call.inputs[2].shape[0]}, a->data_type(), dnnl::memory::format_tag::ab);
  }
  return p;
}

std::optional<MatmulProblem> problem_of(const Node& node, const Call& call) {
  return node.op->name == "linear" ? linear_problem(call) : matmul_problem(call);
}

dnnl::matmul::primitive_desc matmul_desc(Context& context, const MatmulProblem& p, const Descriptor& b) {
  const auto desc = p.bias ? dnnl::matmul::desc(p.a, b, *p.bias, p.c) : dnnl::matmul::desc(p.a, b, p.c);
  return {desc, user_scratchpad(), context.dnnl->engine};
}

class MatmulOp final : public PreparedOp {
 public:
  MatmulOp(BoundPrimitive primitive, std::string name) : primitive_(std::move(primitive)), name_(std::move(name)) {}

  /// Packs the constant right-hand side on the first run, when its bytes are surely there.
  void pack_once(BoundPrimitive reorder, std::shared_ptr<Storage> packed) {
    pack_ = std::move(reorder);
    packed_ = std::move(packed);
  }
  void run() override {
    if (pack_) {
      pack_->run();
      pack_.reset();
    }
    primitive_.run();
  }
  KernelFacts facts() const override { return {.name = name_, .library = KernelLibrary::onednn}; }
  bool reads_once(size_t input) const override { return input == 1 && packed_ != nullptr; }

 private:
  BoundPrimitive primitive_;
  std::optional<BoundPrimitive> pack_;
  std::shared_ptr<Storage> packed_;
  std::string name_;
};

Call call_of(const PrepareRequest& request, std::vector<TensorType>& inputs, std::vector<TensorType>& outputs) {
  for (const Tensor& t : request.arguments.inputs) inputs.push_back(t.type());
  for (const Tensor& t : request.arguments.outputs) outputs.push_back(t.type());
  return {request.node.attributes, inputs, outputs};
}

/// `make()`; `none` where oneDNN refuses, so that the libraries behind it are asked. Throws std::bad_alloc where it
/// lacks memory.
template <class Make>
std::invoke_result_t<Make> unless_refused(const Make& make, std::invoke_result_t<Make> none) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
    return none;
  }
}

std::unique_ptr<PreparedOp> prepare_product(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> inputs, outputs;
  const auto p = problem_of(request.node, call_of(request, inputs, outputs));
  if (!p) return nullptr;
  const bool packs = request.inputs_constant.size() > 1 && request.inputs_constant[1];
  const auto& in = request.arguments.inputs;
  const auto pd =
      matmul_desc(context, *p, packs ? Descriptor(p->b.dims(), p->b.data_type(), dnnl::memory::format_tag::any) : p->b);
  if (is_plain_loop(pd.impl_info_str()))
    return nullptr;  // plain loops: our products, or its kernels on copies, are faster
  const Descriptor packed = pd.weights_desc();
  void* b_data = in[1].data();
  std::shared_ptr<Storage> storage;
  if (packed != p->b) {
    auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size()));
    if (!own) throw std::bad_alloc();
    storage = *own;
    b_data = storage->data();
  }
  std::vector<std::pair<int, dnnl::memory>> arguments = {
      {DNNL_ARG_SRC, {p->a, context.dnnl->engine, in[0].data()}},
      {DNNL_ARG_WEIGHTS, {packed, context.dnnl->engine, b_data}},
      {DNNL_ARG_DST, {p->c, context.dnnl->engine, request.arguments.outputs[0].data()}},
      {DNNL_ARG_SCRATCHPAD, {pd.scratchpad_desc(), context.dnnl->engine, request.workspace}}};
  if (p->bias) arguments.push_back({DNNL_ARG_BIAS, {*p->bias, context.dnnl->engine, in[2].data()}});
  auto op = std::make_unique<MatmulOp>(BoundPrimitive(context, dnnl::matmul(pd), std::move(arguments)),
                                       shown_dnnl_kernel(pd.impl_info_str(), in[0].dtype()));
  if (auto reorder = bind_reorder(context, p->b, in[1].data(), packed, b_data))
    op->pack_once(std::move(*reorder), std::move(storage));
  return op;
}

}  // namespace

int64_t dnnl_matmul_workspace(Context& context, const Node& node, const Call& call) {
  if (context.dnnl == nullptr) return 0;
  const auto p = problem_of(node, call);
  if (!p) return 0;
  const auto bytes_with = [&](const Descriptor& b) {
    return unless_refused(
        [&] { return static_cast<int64_t>(matmul_desc(context, *p, b).scratchpad_desc().get_size()); }, int64_t{0});
  };
  return std::max(bytes_with(p->b),
                  bytes_with(Descriptor(p->b.dims(), p->b.data_type(), dnnl::memory::format_tag::any)));
}

std::unique_ptr<PreparedOp> prepare_dnnl_matmul(Context& context, const PrepareRequest& request) {
  if (context.dnnl == nullptr) return nullptr;
  return unless_refused([&] { return prepare_product(context, request); }, nullptr);
}

}  // namespace engine::cpu
