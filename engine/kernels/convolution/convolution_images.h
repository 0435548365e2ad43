// SPDX-License-Identifier: Apache-2.0
// A convolution as one call of oneDNN per image of the batch: every thread takes its share of the images, and what goes
// over their results finds each in the thread's own cache. Nobody waits for another thread but at the end.
#pragma once

#include <functional>
#include <vector>

#include "engine/kernels/core/finish.h"
#include "engine/kernels/onednn/dnnl_support.h"

namespace engine::cpu {

/// Whether threads get about equal shares of a batch.
bool shares_are_even(int64_t images, int threads);

class ConvolutionImages {
 public:
  using Forward = dnnl::convolution_forward;
  /// How an image and its result lie. Where the primitive takes another layout, each is moved into it, or out of it, in
  /// the cache.
  struct Layouts {
    dnnl::memory::desc x, y;
  };
  /// Where the operands of the whole batch lie, and how many bytes apart its images do.
  struct Places {
    std::byte *x, *weights, *bias, *y, *scratchpads;  ///< scratchpads: scratchpad_bytes()
    int64_t x_apart, y_apart;
    Layouts layouts;
  };

  /// What `make` makes, for one thread.
  static Forward::primitive_desc for_one_thread(const Context&, const std::function<Forward::primitive_desc()>& make);
  static int64_t scratchpad_bytes(const Context&, const Forward::primitive_desc&, const Layouts&);

  ConvolutionImages() = default;
  /// `image`: for_one_thread() of one image, with a bias.
  ConvolutionImages(const Context&, const Forward::primitive_desc& image, const Places&, int64_t images, Finish);

  void run() const;

 private:
  struct Call {
    dnnl_primitive_t primitive;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  struct Share {
    dnnl::stream stream;
    int64_t first = 0;
    std::vector<std::vector<Call>> images;  ///< what each image from `first` on takes
  };
  Share make_share(const Context&, const Forward::primitive_desc&, const Places&, int64_t first, int64_t end,
                   std::byte* scratch);
  dnnl_memory_t memory(const Context&, const dnnl::memory::desc&, std::byte* data);

  dnnl::primitive primitive_, into_, out_of_;  ///< the last two: only between layouts
  std::vector<dnnl::memory> memories_;         // keep the handles in the calls alive
  std::vector<Share> shares_;                  ///< one per thread
  int64_t elements_ = 0;                       ///< of one image's result
  Finish finish_;
};

}  // namespace engine::cpu
