// SPDX-License-Identifier: Apache-2.0
// One primitive made for one thread, its arguments bound for every image.
#include "engine/cpu/convolution_images.h"

#include <omp.h>

#include "engine/base/check.h"
#include "engine/cpu/parallel.h"

namespace engine::cpu {

bool shares_are_even(int64_t images, int threads) { return images % threads == 0 || images >= 8 * int64_t{threads}; }

namespace {

/// While it lives, oneDNN makes primitives for one thread.
class OneThread {
 public:
  explicit OneThread(int threads) : threads_(threads) { set_calling_thread_count(1); }
  ~OneThread() { set_calling_thread_count(threads_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_;
};

}  // namespace

ConvolutionImages::Forward::primitive_desc ConvolutionImages::for_one_thread(const Context& context, const std::function<Forward::primitive_desc()>& make) {
  const OneThread one(context.threads);
  return make();
}

int64_t ConvolutionImages::scratchpad_bytes(const Context& context, const Forward::primitive_desc& image) {
  return static_cast<int64_t>(whole_lines(image.scratchpad_desc().get_size())) * context.threads;
}

ConvolutionImages::ConvolutionImages(const Context& context, const Forward::primitive_desc& image, const Places& places, int64_t images, Finish finish)
    : elements_(places.y_apart / static_cast<int64_t>(sizeof(float))), finish_(std::move(finish)) {
  {
    const OneThread one(context.threads);
    primitive_ = Forward(image);
  }
  const auto memory = [&](const dnnl::memory::desc& desc, std::byte* data) {
    memories_.emplace_back(desc, context.dnnl_engine, data);
    return memories_.back().get();
  };
  dnnl_memory_t weights = memory(image.weights_desc(), places.weights), bias = memory(image.bias_desc(), places.bias);
  const int64_t threads = context.threads, scratchpad_bytes = ConvolutionImages::scratchpad_bytes(context, image) / threads;
  for (int64_t thread = 0; thread < threads; ++thread) {
    Share share{.stream = dnnl::stream(context.dnnl_engine), .first = images * thread / threads, .calls = {}};
    dnnl_memory_t scratchpad = memory(image.scratchpad_desc(), places.scratchpads + thread * scratchpad_bytes);
    for (int64_t i = share.first; i < images * (thread + 1) / threads; ++i) {
      share.calls.push_back({{DNNL_ARG_SRC, memory(image.src_desc(), places.x + i * places.x_apart)},
                             {DNNL_ARG_WEIGHTS, weights},
                             {DNNL_ARG_BIAS, bias},
                             {DNNL_ARG_DST, memory(image.dst_desc(), places.y + i * places.y_apart)},
                             {DNNL_ARG_SCRATCHPAD, scratchpad}});
    }
    shares_.push_back(std::move(share));
  }
}

void ConvolutionImages::run() const {
#pragma omp parallel num_threads(static_cast <int>(shares_.size()))
  {
    set_calling_thread_count(1);  // the figure is this team member's, and gone behind the team
    for (size_t s = static_cast<size_t>(omp_get_thread_num()); s < shares_.size(); s += static_cast<size_t>(omp_get_num_threads())) {
      const Share& share = shares_[s];
      for (size_t i = 0; i < share.calls.size(); ++i) {
        const auto& call = share.calls[i];
        const dnnl_status_t status = dnnl_primitive_execute(primitive_.get(), share.stream.get(), static_cast<int>(call.size()), call.data());
        CHECK(status == dnnl_success);  // all arguments were checked when they were bound
        finish_((share.first + static_cast<int64_t>(i)) * elements_, elements_);
      }
    }
  }
}

}  // namespace engine::cpu
