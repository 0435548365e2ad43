// SPDX-License-Identifier: Apache-2.0
// The words of kernel names up to format 3. They are frozen: captures that hold them do not change when kernels are
// renamed.
#include "profiler/capture/facts_from_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace profiler {
namespace {

using engine::CodeKind;
using engine::CopyLayout;
using engine::KernelFacts;
using engine::KernelLibrary;
using engine::PackedWeights;
using engine::ProductFormat;

bool says(std::string_view kernel, std::string_view words) { return kernel.find(words) != std::string_view::npos; }

CodeKind code_in(std::string_view kernel) {
  if (kernel.empty() || kernel == "view" || kernel == "null") return CodeKind::unknown;
  const bool part = kernel == "reference" || kernel.starts_with("reference, then ") ||
                    kernel.ends_with(", then reference") || says(kernel, ", then reference, then ");
  return part ? CodeKind::reference : CodeKind::fast;
}

/// The first that is named. Our kernels of GPUs name NVIDIA's libraries, too, where they say that these are not there.
KernelLibrary library_in(std::string_view kernel) {
  struct Mark {
    std::string_view words;
    KernelLibrary library;
    bool begins_part = false;
  };
  constexpr std::array kMarks{Mark{"oneDNN", KernelLibrary::onednn}, Mark{"OpenBLAS", KernelLibrary::openblas},
                              Mark{"LAPACK", KernelLibrary::lapack}, Mark{"cuBLAS", KernelLibrary::cublas, true},
                              Mark{"cuDNN", KernelLibrary::cudnn, true}};
  constexpr std::string_view kNextPart = ", then in place ";
  size_t first = std::string_view::npos;
  KernelLibrary found = KernelLibrary::own;
  for (const Mark& mark : kMarks) {
    size_t at = kernel.find(mark.words);
    while (mark.begins_part && at != std::string_view::npos && at != 0 && !kernel.substr(0, at).ends_with(kNextPart))
      at = kernel.find(mark.words, at + 1);
    if (at < first) first = at, found = mark.library;
  }
  return found;
}

/// "f32 via workspace, bf16 in and out, row-major copies: ..." and "channels-last copies via workspace: ..."
engine::OperandCopies copies_in(std::string_view kernel) {
  engine::OperandCopies copies{.widens = kernel.starts_with("f32 via workspace")};
  if (says(kernel, "channels-last copies")) copies.layout = CopyLayout::channels_last;
  if (says(kernel, "row-major copies")) copies.layout = CopyLayout::row_major;
  return copies;
}

/// "... by Winograd's F(4x4, 3x3) ..."
int winograd_tile_in(std::string_view kernel) {
  for (const int tile : {4, 2}) {
    if (says(kernel, tile == 4 ? " by Winograd's F(4" : " by Winograd's F(2")) return tile;
  }
  return 0;
}

PackedWeights packed_in(std::string_view kernel) {
  if (says(kernel, "weights of the steps packed"))
    return says(kernel, "inputs at once") ? PackedWeights::steps : PackedWeights::all;
  return says(kernel, "weights of the inputs packed") ? PackedWeights::inputs : PackedWeights::none;
}

/// "...; not fp8: its 10 columns are no multiple of 16, then in place own fused loop"
std::string_view not_fp8_in(std::string_view kernel) {
  constexpr std::string_view kMark = "; not fp8: ";
  const size_t at = kernel.find(kMark);
  if (at == std::string_view::npos) return {};
  const std::string_view why = kernel.substr(at + kMark.size());
  return why.substr(0, why.find(", then in place"));
}

/// Products of one thread that more would have shared: of one kernel alone, perhaps on copies of its operands.
bool is_unsplit(std::string_view kernel) {
  if (const size_t at = kernel.find(" via workspace"); at != std::string_view::npos) {
    const size_t colon = kernel.find(": ", at);
    if (colon != std::string_view::npos) kernel = kernel.substr(colon + 2);
  }
  if (kernel == "OpenBLAS sgemm" || kernel == "OpenBLAS dgemm") return true;
  return kernel.starts_with("own gemv (") && !says(kernel, "split over threads") && !says(kernel, ", then ");
}

/// Rows and columns; 0: the name holds none that is likely.
std::pair<int64_t, int64_t> tile_in(std::string_view kernel) {
  const auto number = [&](size_t& at) {
    int64_t value = 0;
    for (; at < kernel.size() && std::isdigit(static_cast<unsigned char>(kernel[at])) != 0 && value < 100000; ++at)
      value = 10 * value + (kernel[at] - '0');
    return value;
  };
  const auto likely = [](int64_t extent) { return extent >= 16 && extent <= 512 && extent % 8 == 0; };
  for (size_t at = 0; at < kernel.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(kernel[at])) == 0) continue;
    const int64_t rows = number(at);
    if (at + 1 >= kernel.size() || kernel[at] != 'x') continue;
    size_t next = at + 1;
    const int64_t columns = number(next);
    if (likely(rows) && likely(columns)) return {rows, columns};
  }
  return {0, 0};
}

/// "oneDNN brg:avx512_core_amx_int8, i32 sums", "own gemv of 4-bit blocks (AVX3, VNNI)".
bool sums_bytes(std::string_view kernel) {
  return says(kernel, "i32 sums") ||
         (says(kernel, "-bit blocks (") && (says(kernel, "own gemv") || says(kernel, ", VNNI")));
}

}  // namespace

KernelFacts facts_from_name(std::string_view kernel) {
  KernelFacts facts{.name = std::string(kernel)};
  facts.code = code_in(kernel);
  facts.library = facts.code == CodeKind::unknown ? KernelLibrary::unknown : library_in(kernel);
  facts.copies = copies_in(kernel);
  facts.winograd_tile = winograd_tile_in(kernel);
  facts.packed = packed_in(kernel);
  facts.format = says(kernel, ", fp8 ")  ? ProductFormat::fp8
                 : says(kernel, " tf32") ? ProductFormat::tf32
                 : sums_bytes(kernel)    ? ProductFormat::int8
                                         : ProductFormat::as_it_is;
  facts.not_fp8 = not_fp8_in(kernel);
  std::tie(facts.tile_rows, facts.tile_columns) = tile_in(kernel);
  facts.own_gemm = says(kernel, "own gemm");
  facts.own_convolution = says(kernel, "own gemm over columns of the image") ||
                          says(kernel, "own gemm over the image") || says(kernel, "own depthwise loops");
  facts.plain_weights = says(kernel, "over plain weights");
  facts.per_image = says(kernel, "image by image");
  facts.single_thread = says(kernel, "one thread");
  facts.unsplit = is_unsplit(kernel);
  facts.indivisible = says(kernel, "after the other") || says(kernel, "load_batch");
  facts.streaming_stores = says(kernel, "non-temporal stores");
  facts.round_trip = says(kernel, "there and back");
  return facts;
}

KernelFacts facts_of_imported_kernel(std::string_view kernel) {
  KernelFacts facts = facts_from_name(kernel);
  if (facts.code == CodeKind::fast) facts.code = CodeKind::unknown, facts.library = KernelLibrary::unknown;
  // NVIDIA's libraries: f32 operands of products of 16 x 8 x 8 or 16 x 8 x 4 are rounded to TF32
  for (const std::string_view mark : {"tf32", "tensorop_s1688", "tensorop_s884", "_s1688gemm", "_s1688cudnn"}) {
    if (kernel.find(mark) != kernel.npos) facts.format = ProductFormat::tf32;
  }
  return facts;
}

namespace {

/// In small letters without '_' and what stands in brackets of parameters: nchwToNhwc, nchw_to_nhwc and NCHW2NHWC.
std::string plain(std::string_view kernel) {
  std::string text;
  constexpr std::string_view kNobody = "(anonymous namespace)";
  if (const size_t at = kernel.find(kNobody); at < kernel.find('<')) kernel.remove_prefix(at + kNobody.size());
  for (const char c : kernel.substr(0, kernel.find('(')))
    if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

bool converts_layout(std::string_view kernel) {
  const std::string text = plain(kernel);
  constexpr std::array kMarks{"nchwtonhwc",       "nhwctonchw",       "nchw2nhwc",
                              "nhwc2nchw",        "nchwtofoldednhwc", "nhwctofoldednhwc",
                              "foldednhwctonhwc", "batchedtranspose", "transposenchw2"};
  return std::ranges::any_of(kMarks, [&](const char* mark) { return says(text, mark); });
}

double flops_ratio_of(std::string_view kernel) {
  const std::string text = plain(kernel);
  if (!says(text, "winograd") && !says(text, "sp3asmconv")) return 1;
  if (says(text, "9x95x5")) return 81 / 625.0;  // "winogradForwardData9x9_5x5": tiles of 9 x 9, filters of 5 x 5
  if (says(text, "4x4")) return 36 / 144.0;
  return says(text, "scudnnwinograd") || says(text, "f2x3") ? 16 / 36.0 : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace profiler
