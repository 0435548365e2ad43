// SPDX-License-Identifier: Apache-2.0
// Opens cuDNN, describes convolutions to it, keeps the algorithm its heuristic names.
#include "engine/cuda/cudnn.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/cuda/libraries.h"

namespace engine::cuda {
namespace {

using cudnn::Choice;
using cudnn::Descriptor;
using cudnn::Status;

constexpr int64_t kAlignment = 256;
constexpr size_t kMostWorkspace = size_t{512} << 20;  // ours: faster algorithms that want more are left out

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool load(void* library, CudnnFunctions& f) {
  return find(library, "cudnnGetVersion", f.version) && find(library, "cudnnGetErrorString", f.error_string) &&
         find(library, "cudnnCreate", f.create) && find(library, "cudnnDestroy", f.destroy) &&
         find(library, "cudnnSetStream", f.set_stream) &&
         find(library, "cudnnCreateTensorDescriptor", f.create_tensor) &&
         find(library, "cudnnDestroyTensorDescriptor", f.destroy_tensor) &&
         find(library, "cudnnSetTensorNdDescriptor", f.set_tensor) &&
         find(library, "cudnnCreateFilterDescriptor", f.create_filter) &&
         find(library, "cudnnDestroyFilterDescriptor", f.destroy_filter) &&
         find(library, "cudnnSetFilterNdDescriptor", f.set_filter) &&
         find(library, "cudnnCreateConvolutionDescriptor", f.create_convolution) &&
         find(library, "cudnnDestroyConvolutionDescriptor", f.destroy_convolution) &&
         find(library, "cudnnSetConvolutionNdDescriptor", f.set_convolution) &&
         find(library, "cudnnSetConvolutionMathType", f.set_math) &&
         find(library, "cudnnSetConvolutionGroupCount", f.set_groups) &&
         find(library, "cudnnGetConvolutionForwardAlgorithm_v7", f.choose[0]) &&
         find(library, "cudnnGetConvolutionBackwardDataAlgorithm_v7", f.choose[1]) &&
         find(library, "cudnnGetConvolutionBackwardFilterAlgorithm_v7", f.choose[2]) &&
         find(library, "cudnnConvolutionForward", f.convolve[0]) &&
         find(library, "cudnnConvolutionBackwardData", f.convolve[1]) &&
         find(library, "cudnnConvolutionBackwardFilter", f.convolve[2]);
}

std::optional<cudnn::DataType> data_type(DType dtype) {
  switch (dtype) {
    case DType::float64: return cudnn::kDouble;
    case DType::float32: return cudnn::kFloat;
    case DType::bfloat16: return cudnn::kBfloat16;
    case DType::float16: return cudnn::kHalf;
    default: return std::nullopt;
  }
}

/// Whether these strides are those of a dense tensor whose axes lie in this order in memory; axes of extent 1 lie
/// anywhere.
bool dense(const std::array<int64_t, 5>& extents, const int64_t (&strides)[5], const std::array<size_t, 5>& order) {
  int64_t expected = 1;
  for (size_t i = order.size(); i-- > 0;) {
    if (extents[order[i]] != 1 && strides[order[i]] != expected) return false;
    expected *= extents[order[i]];
  }
  return true;
}
constexpr std::array<size_t, 5> kFirst{0, 1, 2, 3, 4}, kLast{0, 2, 3, 4, 1};

/// A convolution in cuDNN's terms: extents of x, w and y with one axis less where the first spatial one is not there.
struct Told {
  std::array<int64_t, 5> x, w, y;
  cudnn::Format format = cudnn::kChannelsFirst;
  cudnn::DataType type = cudnn::kFloat;
};

std::optional<Told> tell(const Convolution& c, std::string& why) {
  const ConvolutionShape& s = c.shape;
  Told told;
  told.x = {s.batch, s.in_channels * s.groups, s.input[0], s.input[1], s.input[2]};
  told.w = {s.out_channels * s.groups, s.in_channels, s.kernel[0], s.kernel[1], s.kernel[2]};
  told.y = {s.batch, s.out_channels * s.groups, s.output[0], s.output[1], s.output[2]};
  const auto type = data_type(c.y.dtype);
  if (!type || c.x.dtype != c.y.dtype || c.w.dtype != c.y.dtype)
    return why = "its dtypes are not of one kind that cuDNN takes", std::nullopt;
  told.type = *type;
  const auto all = [&](const std::array<size_t, 5>& order) {
    return dense(told.x, s.x_strides, order) && dense(told.w, s.w_strides, order) && dense(told.y, s.y_strides, order);
  };
  if (all(kLast)) {
    told.format = cudnn::kChannelsLast;
  } else if (!all(kFirst)) {
    return why = "its operands are not all dense with channels first, or last", std::nullopt;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t even =
        (s.input[axis] + 2 * s.padding[axis] - s.dilation[axis] * (s.kernel[axis] - 1) - 1) / s.stride[axis] + 1;
    if (even != s.output[axis]) return why = "its padding differs at both ends", std::nullopt;
  }
  for (const auto& extents : {told.x, told.w, told.y}) {
    int64_t elements = 1;
    for (const int64_t extent : extents) elements *= extent;
    if (elements == 0 || elements > INT32_MAX) return why = "its extents are not within 31 bits", std::nullopt;
  }
  return told;
}

/// Handles to what cuDNN has made for one convolution, and the algorithm chosen.
class Description {
 public:
  explicit Description(std::shared_ptr<Cudnn> cudnn) : cudnn_(std::move(cudnn)) {}
  ~Description() {
    const CudnnFunctions& f = cudnn_->functions();
    for (const Descriptor tensor : {x_, y_}) {
      if (tensor != nullptr) f.destroy_tensor(tensor);
    }
    if (w_ != nullptr) f.destroy_filter(w_);
    if (convolution_ != nullptr) f.destroy_convolution(convolution_);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  /// False, with the reason in `why`: cuDNN has no algorithm for it that needs no more than `most_bytes` of scratch.
  bool make(const Context& context, const Convolution& c, size_t most_bytes, std::string& why) {
    const std::optional<Told> told = tell(c, why);
    if (!told) return false;
    Status status = describe(context, c, *told);
    if (status == 0) status = choose(context, c.kind, most_bytes);
    if (status == 0 && choice_.math == cudnn::kNoTensorCores)
      status = cudnn_->functions().set_math(convolution_, choice_.math);  // as it was chosen
    if (status == 0) return true;
    why = status == kNoneOfOurs ? "cuDNN names no algorithm that multiplies matrices for it"
          : status == kTooMuch
              ? fmt::format("cuDNN now wants more scratch than the {} bytes it asked for when memory was planned",
                            most_bytes)
              : fmt::format("cuDNN: {}", cudnn_->functions().error_string(status));
    return false;
  }
  const Choice& choice() const { return choice_; }

  /// `beta`: 1 adds to what stands in the result.
  Status run(const Convolution& c, void* workspace, bool adds) const {
    static constexpr float kOne = 1, kZero = 0;
    static constexpr double kOneDouble = 1, kZeroDouble = 0;
    const bool wide = c.y.dtype == DType::float64;
    const void* alpha = wide ? static_cast<const void*>(&kOneDouble) : &kOne;
    const void* beta = adds ? alpha : wide ? static_cast<const void*>(&kZeroDouble) : &kZero;
    const cudnn::Convolve convolve = cudnn_->functions().convolve[static_cast<size_t>(c.kind)];
    const auto call = [&](Descriptor d1, const void* p1, Descriptor d2, const void* p2, Descriptor d3, void* p3) {
      return convolve(cudnn_->handle(), alpha, d1, p1, d2, p2, convolution_, choice_.algorithm, workspace,
                      choice_.workspace_bytes, beta, d3, p3);
    };
    switch (c.kind) {
      case Convolve::forward: return call(x_, c.x.bytes, w_, c.w.bytes, y_, c.y.bytes);
      case Convolve::by_input: return call(w_, c.w.bytes, y_, c.y.bytes, x_, c.x.bytes);
      default: return call(x_, c.x.bytes, y_, c.y.bytes, w_, c.w.bytes);
    }
  }

 private:
  Status describe(const Context& context, const Convolution& c, const Told& told) {
    const CudnnFunctions& f = cudnn_->functions();
    const ConvolutionShape& s = c.shape;
    const bool flat = s.input[0] == 1 && s.output[0] == 1 && s.kernel[0] == 1 && s.padding[0] == 0;  // two spatial axes
    const size_t first = flat ? 1 : 0, spatial = 3 - first;
    const int axes = static_cast<int>(2 + spatial);
    const auto extents = [&](const std::array<int64_t, 5>& all) {
      std::array<int, 5> some{static_cast<int>(all[0]), static_cast<int>(all[1])};
      for (size_t i = 0; i < spatial; ++i) some[2 + i] = static_cast<int>(all[2 + first + i]);
      return some;
    };
    // of a dense tensor, so that axes of extent 1 are where cuDNN looks for them
    const auto strides = [&](const std::array<int, 5>& of) {
      std::array<int, 5> made{};
      int next = 1;
      const auto take = [&](size_t axis) { made[axis] = next, next *= of[axis]; };
      if (told.format == cudnn::kChannelsLast) take(1);
      for (size_t i = spatial; i-- > 0;) take(2 + i);
      if (told.format == cudnn::kChannelsFirst) take(1);
      take(0);
      return made;
    };
    const auto ints = [&](const int64_t(&all)[3]) {
      std::array<int, 3> some{};
      for (size_t i = 0; i < spatial; ++i) some[i] = static_cast<int>(all[first + i]);
      return some;
    };
    const auto x = extents(told.x), w = extents(told.w), y = extents(told.y);
    Status status = f.create_tensor(&x_);
    if (status == 0) status = f.set_tensor(x_, told.type, axes, x.data(), strides(x).data());
    if (status == 0) status = f.create_tensor(&y_);
    if (status == 0) status = f.set_tensor(y_, told.type, axes, y.data(), strides(y).data());
    if (status == 0) status = f.create_filter(&w_);
    if (status == 0) status = f.set_filter(w_, told.type, told.format, axes, w.data());
    if (status == 0) status = f.create_convolution(&convolution_);
    const int computed = told.type == cudnn::kDouble ? cudnn::kDouble : cudnn::kFloat;
    if (status == 0) {
      status = f.set_convolution(convolution_, static_cast<int>(spatial), ints(s.padding).data(), ints(s.stride).data(),
                                 ints(s.dilation).data(), cudnn::kCrossCorrelation, computed);
    }
    if (status == 0) status = f.set_groups(convolution_, static_cast<int>(s.groups));
    const bool narrow = told.type == cudnn::kHalf || told.type == cudnn::kBfloat16;
    const int math = narrow                                        ? cudnn::kTensorCores
                     : told.type == cudnn::kFloat && !context.tf32 ? cudnn::kNoTensorCores
                                                                   : cudnn::kDefaultMath;
    if (status == 0) status = f.set_math(convolution_, math);
    return status;
  }

  Status choose(const Context& context, Convolve kind, size_t most_bytes) {
    constexpr int kWanted = 8;
    constexpr int kMost[] = {
        3, 1, 3};  // products of matrices; Winograd and Fourier transforms round in another way and are left out
    std::array<Choice, kWanted> named{};
    int found = 0;
    const Descriptor d1 = kind == Convolve::by_input ? w_ : x_, d2 = kind == Convolve::forward ? w_ : y_,
                     d3 = kind == Convolve::forward    ? y_
                          : kind == Convolve::by_input ? x_
                                                       : w_;
    const Status status = cudnn_->functions().choose[static_cast<size_t>(kind)](cudnn_->handle(), d1, d2, convolution_,
                                                                                d3, kWanted, &found, named.data());
    if (status != 0) return status;
    Status none = kNoneOfOurs;
    for (int i = 0; i < std::min(found, kWanted); ++i) {
      const Choice& c = named[static_cast<size_t>(i)];
      const bool fft = kind == Convolve::by_weight && c.algorithm == 2;
      if (c.status != 0 || c.algorithm > kMost[static_cast<size_t>(kind)] || fft) continue;
      if (context.deterministic && c.determinism != cudnn::kDeterministic) continue;
      if (c.workspace_bytes > most_bytes) {  // the heuristic answers anew each time: never beyond what was reserved
        none = kTooMuch;
        continue;
      }
      choice_ = c;
      return 0;
    }
    return none;
  }

  static constexpr Status kNoneOfOurs = -1, kTooMuch = -2;
  const std::shared_ptr<Cudnn> cudnn_;
  Descriptor x_ = nullptr, y_ = nullptr, w_ = nullptr, convolution_ = nullptr;
  Choice choice_{};
};

/// The result filled with the bias, to which the convolution is added.
std::optional<Elementwise> bias_fill(const Convolution& c) {
  const ConvolutionShape& s = c.shape;
  Elementwise fill;
  fill.code = Code::cast;
  fill.operands = 1;
  fill.arithmetic = c.arithmetic;
  fill.in[0] = c.bias.dtype;
  fill.x[0] = c.bias.bytes;
  fill.out = c.y.dtype;
  fill.y = c.y.bytes;
  const Strides none(5, 0);
  const auto walk =
      make_walk<4>({s.batch, s.out_channels * s.groups, s.output[0], s.output[1], s.output[2]},
                   {Strides(s.y_strides, s.y_strides + 5), Strides{0, c.bias_stride, 0, 0, 0}, none, none});
  if (!walk) return std::nullopt;
  fill.walk = *walk;
  return fill;
}

class CudnnOp final : public PreparedOp {
 public:
  CudnnOp(Context& context, const PrepareRequest& request, const Convolution& convolution,
          std::unique_ptr<Description> description)
      : context_(context),
        where_(fmt::format("[{}] {}", request.node.op->name, request.node.layer)),
        convolution_(convolution),
        description_(std::move(description)),
        workspace_(request.workspace +
                   (kAlignment - reinterpret_cast<intptr_t>(request.workspace) % kAlignment) % kAlignment) {
    if (convolution.bias.bytes != nullptr) bias_ = bias_fill(convolution);
    const Choice& c = description_->choice();
    const bool tf32 = context.in_tf32() && convolution.y.dtype == DType::float32 && c.math != cudnn::kNoTensorCores;
    facts_ = {.name = fmt::format("{} algo {} workspace {}{}", context.cudnn->name(), c.algorithm, c.workspace_bytes,
                                  tf32 ? " tf32" : ""),
              .library = KernelLibrary::cudnn,
              .format = tf32 ? ProductFormat::tf32 : ProductFormat::as_it_is};
  }

  void run() override {
    if (!context_.launcher.on_host) context_.activate();
    if (bias_) {
      if (const cudaError_t code = launch(context_.launcher, *bias_); code != cudaSuccess) context_.note(code, where_);
    }
    if (const Status status = description_->run(convolution_, workspace_, bias_.has_value()); status != 0) {
      context_.note(cudaErrorLaunchFailure,
                    fmt::format("{}: cuDNN: {}", where_, context_.cudnn->functions().error_string(status)));
    }
  }
  KernelFacts facts() const override { return facts_; }

 private:
  Context& context_;
  const std::string where_;
  const Convolution convolution_;
  const std::unique_ptr<Description> description_;
  std::byte* const workspace_;
  std::optional<Elementwise> bias_;
  KernelFacts facts_;
};

}  // namespace

std::shared_ptr<Cudnn> Cudnn::open(cudaStream_t stream, std::string& why) {
  std::shared_ptr<Cudnn> opened(new Cudnn());
  const LibrarySearch search = search_cudnn([&opened](void* library) { return load(library, opened->functions_); });
  if (search.handle == nullptr) {
    why = search.why();
    return nullptr;
  }
  Status status = opened->functions_.create(&opened->handle_);
  if (status == 0) status = opened->functions_.set_stream(opened->handle_, stream);
  if (status != 0) {
    why = fmt::format("{} does not start: {}", opened->name(), opened->functions_.error_string(status));
    return nullptr;
  }
  return opened;
}

Cudnn::~Cudnn() {
  if (handle_ != nullptr) functions_.destroy(handle_);
}

std::string Cudnn::name() const { return cudnn_name(functions_.version()); }

LibraryReport Cudnn::report() {
  CudnnFunctions functions;
  return {"cuDNN", "pip install nvidia-cudnn-cu13, or install cuDNN 9; without it convolutions are our own",
          search_cudnn([&functions](void* library) { return load(library, functions); })};
}

namespace {

/// What tells convolutions apart: kind, dtypes, extents and strides.
std::vector<int64_t> key_of(const Convolution& c) {
  const ConvolutionShape& s = c.shape;
  std::vector<int64_t> key{static_cast<int64_t>(c.kind),
                           static_cast<int64_t>(c.x.dtype),
                           static_cast<int64_t>(c.w.dtype),
                           static_cast<int64_t>(c.y.dtype),
                           s.groups,
                           s.batch,
                           s.in_channels,
                           s.out_channels};
  for (const auto* extents : {&s.input, &s.output, &s.kernel, &s.stride, &s.dilation, &s.padding})
    key.insert(key.end(), std::begin(*extents), std::end(*extents));
  for (const auto* strides : {&s.x_strides, &s.w_strides, &s.y_strides})
    key.insert(key.end(), std::begin(*strides), std::end(*strides));
  return key;
}

}  // namespace

void Cudnn::reserve(const Convolution& convolution, size_t bytes) {
  const std::lock_guard lock(mutex_);
  reserved_[key_of(convolution)] = bytes;
}

size_t Cudnn::reserved(const Convolution& convolution) const {
  const std::lock_guard lock(mutex_);
  const auto found = reserved_.find(key_of(convolution));
  return found == reserved_.end() ? 0 : found->second;
}

int64_t cudnn_workspace(const Context& context, const Convolution& convolution) {
  if (context.cudnn == nullptr) return 0;
  std::string why;
  Description description(context.cudnn);
  if (!description.make(context, convolution, kMostWorkspace, why)) return 0;
  context.cudnn->reserve(convolution, description.choice().workspace_bytes);
  return static_cast<int64_t>(description.choice().workspace_bytes) + kAlignment;
}

PreparedKernel prepare_cudnn(Context& context, const PrepareRequest& request, const Convolution& convolution,
                             std::string& why) {
  if (context.cudnn == nullptr) return std::unique_ptr<PreparedOp>();
  auto description = std::make_unique<Description>(context.cudnn);
  if (!description->make(context, convolution, context.cudnn->reserved(convolution), why))
    return std::unique_ptr<PreparedOp>();
  return std::unique_ptr<PreparedOp>(std::make_unique<CudnnOp>(context, request, convolution, std::move(description)));
}

}  // namespace engine::cuda
