// SPDX-License-Identifier: Apache-2.0
// One primitive made for one thread, its arguments bound for every image.
#include "engine/kernels/convolution/convolution_images.h"

#include "engine/base/check.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {

bool shares_are_even(int64_t images, int threads) { return images % threads == 0 || images >= 8 * int64_t{threads}; }

ConvolutionImages::Forward::primitive_desc ConvolutionImages::for_one_thread(
    const Context&, const std::function<Forward::primitive_desc()>& make) {
  const CallingThreads one(1);
  return make();
}

namespace {

/// What one thread uses: the primitive's scratchpad, then the image and its result in the primitive's layouts, where
/// those are others.
struct Scratch {
  size_t x_at = 0, y_at = 0, bytes = 0;
};

Scratch scratch_of(const dnnl::convolution_forward::primitive_desc& image, const ConvolutionImages::Layouts& layouts) {
  Scratch scratch;
  scratch.x_at = whole_lines(image.scratchpad_desc().get_size());
  scratch.y_at = scratch.x_at + (image.src_desc() == layouts.x ? 0 : whole_lines(image.src_desc().get_size()));
  scratch.bytes = scratch.y_at + (image.dst_desc() == layouts.y ? 0 : whole_lines(image.dst_desc().get_size()));
  return scratch;
}

}  // namespace

int64_t ConvolutionImages::scratchpad_bytes(const Context& context, const Forward::primitive_desc& image,
                                            const Layouts& layouts) {
  return static_cast<int64_t>(scratch_of(image, layouts).bytes) * context.threads;
}

ConvolutionImages::ConvolutionImages(const Context& context, const Forward::primitive_desc& image, const Places& places,
                                     int64_t images, Finish finish)
    : elements_(places.y_apart / static_cast<int64_t>(sizeof(float))), finish_(std::move(finish)) {
  {
    const CallingThreads one(1);
    const auto reorder = [&](const dnnl::memory::desc& from, const dnnl::memory::desc& to) -> dnnl::primitive {
      if (from == to) return {};
      return dnnl::reorder(
          dnnl::reorder::primitive_desc(context.dnnl->engine, from, context.dnnl->engine, to, user_scratchpad()));
    };
    primitive_ = Forward(image);
    into_ = reorder(places.layouts.x, image.src_desc());
    out_of_ = reorder(image.dst_desc(), places.layouts.y);
  }
  const int64_t threads = context.threads, bytes = scratchpad_bytes(context, image, places.layouts) / threads;
  for (int64_t thread = 0; thread < threads; ++thread) {
    shares_.push_back(make_share(context, image, places, images * thread / threads, images * (thread + 1) / threads,
                                 places.scratchpads + thread * bytes));
  }
}

dnnl_memory_t ConvolutionImages::memory(const Context& context, const dnnl::memory::desc& desc, std::byte* data) {
  memories_.emplace_back(desc, context.dnnl->engine, data);
  return memories_.back().get();
}

ConvolutionImages::Share ConvolutionImages::make_share(const Context& context, const Forward::primitive_desc& image,
                                                       const Places& places, int64_t first, int64_t end,
                                                       std::byte* scratch) {
  const Scratch parts = scratch_of(image, places.layouts);
  const auto weights = memory(context, image.weights_desc(), places.weights),
             bias = memory(context, image.bias_desc(), places.bias);
  const auto scratchpad = memory(context, image.scratchpad_desc(), scratch);
  Share share{.stream = dnnl::stream(context.dnnl->engine), .first = first, .images = {}};
  for (int64_t i = first; i < end; ++i) {
    std::vector<Call> calls;
    dnnl_memory_t x = memory(context, places.layouts.x, places.x + i * places.x_apart),
                  y = memory(context, places.layouts.y, places.y + i * places.y_apart);
    const dnnl_memory_t result = y;
    if (into_) {
      const auto moved = memory(context, image.src_desc(), scratch + parts.x_at);
      calls.push_back({into_.get(), {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, moved}}});
      x = moved;
    }
    if (out_of_) y = memory(context, image.dst_desc(), scratch + parts.y_at);
    calls.push_back({primitive_.get(),
                     {{DNNL_ARG_SRC, x},
                      {DNNL_ARG_WEIGHTS, weights},
                      {DNNL_ARG_BIAS, bias},
                      {DNNL_ARG_DST, y},
                      {DNNL_ARG_SCRATCHPAD, scratchpad}}});
    if (out_of_) calls.push_back({out_of_.get(), {{DNNL_ARG_FROM, y}, {DNNL_ARG_TO, result}}});
    share.images.push_back(std::move(calls));
  }
  return share;
}

void ConvolutionImages::run() const {
  const CallingThreads one(1);
  run_team(static_cast<int>(shares_.size()), [this](int me, int team) {
    set_calling_thread_count(1);
    for (size_t s = static_cast<size_t>(me); s < shares_.size(); s += static_cast<size_t>(team)) {
      const Share& share = shares_[s];
      for (size_t i = 0; i < share.images.size(); ++i) {
        for (const Call& call : share.images[i]) {
          const dnnl_status_t status = dnnl_primitive_execute(
              call.primitive, share.stream.get(), static_cast<int>(call.arguments.size()), call.arguments.data());
          CHECK(status == dnnl_success);  // all arguments were checked when they were bound
        }
        finish_((share.first + static_cast<int64_t>(i)) * elements_, elements_);
      }
    }
  });
}

}  // namespace engine::cpu
