// SPDX-License-Identifier: Apache-2.0
// Names of kernels as captures before format 3 hold them, and what they tell. Frozen: a kernel that is renamed changes
// nothing here.
#include "profiler/capture/facts_from_name.h"

#include <gtest/gtest.h>

#include <cmath>

namespace profiler {
namespace {

using engine::CodeKind;
using engine::CopyLayout;
using engine::KernelFacts;
using engine::KernelLibrary;
using engine::PackedWeights;
using engine::ProductFormat;

void expect_told(KernelFacts wanted) {
  const KernelFacts told = facts_from_name(wanted.name);
  EXPECT_TRUE(told == wanted) << wanted.name;
}

TEST(FactsFromName, OfLibrariesAndOurOwn) {
  expect_told({.name = "oneDNN brgconv:avx512_core", .library = KernelLibrary::onednn});
  expect_told({.name = "OpenBLAS sgemm", .library = KernelLibrary::openblas, .unsplit = true});
  expect_told({.name = "OpenBLAS sgemm, split over threads", .library = KernelLibrary::openblas});
  expect_told({.name = "LAPACK svd (OpenBLAS)", .library = KernelLibrary::lapack});
  expect_told({.name = "own gemv (AVX2)", .unsplit = true});
  expect_told({.name = "own gemv (AVX2), then own loop in place (AVX2, 1 op on 512 elements at a time)"});
  expect_told({.name = "own gemm (AVX2, split over threads)", .own_gemm = true});
  expect_told({.name = "own attention_grad (oneDNN sgemm, own gemm, AVX2)",
               .library = KernelLibrary::onednn,
               .own_gemm = true});
  expect_told({.name = "own gemm over columns of the image (AVX2)", .own_gemm = true, .own_convolution = true});
  expect_told({.name = "own depthwise loops (AVX2)", .own_convolution = true});
  expect_told({.name = "own gemm over plain weights (AVX2)", .own_gemm = true, .plain_weights = true});
  expect_told({.name = "reference", .code = CodeKind::reference});
  expect_told({.name = "own relu (AVX2), then reference", .code = CodeKind::reference});
  expect_told({.name = "a reference to something"});
  for (const char* nothing : {"", "view", "null"})
    expect_told({.name = nothing, .code = CodeKind::unknown, .library = KernelLibrary::unknown});
}

TEST(FactsFromName, OfCopiesConvolutionsAndRecurrentLayers) {
  expect_told({.name = "f32 via workspace, bf16 in and out, row-major copies: own softmax (AVX2)",
               .copies = {true, CopyLayout::row_major}});
  expect_told({.name = "channels-last copies via workspace: OpenBLAS dgemm",
               .library = KernelLibrary::openblas,
               .copies = {false, CopyLayout::channels_last},
               .unsplit = true});
  expect_told({.name = "own relu (AVX2), then f32 via workspace, bf16 in and out: own softmax (AVX2)"});
  expect_told({.name = "channels-last copies via workspace: oneDNN x by Winograd's F(4x4, 3x3) image by image, with "
                       "batch norm folded in",
               .library = KernelLibrary::onednn,
               .copies = {false, CopyLayout::channels_last},
               .winograd_tile = 4,
               .per_image = true});
  expect_told({.name = "oneDNN x by Winograd's F(2x2, 3x3) with batch norm folded in",
               .library = KernelLibrary::onednn,
               .winograd_tile = 2});
  expect_told({.name = "oneDNN x by Winograd's F(", .library = KernelLibrary::onednn});
  expect_told({.name = "own lstm (oneDNN sgemm, weights of the steps packed, AVX2)",
               .library = KernelLibrary::onednn,
               .packed = PackedWeights::all});
  expect_told({.name = "own lstm (oneDNN sgemm, weights of the steps packed, inputs at once, AVX2)",
               .library = KernelLibrary::onednn,
               .packed = PackedWeights::steps});
  expect_told({.name = "own lstm (own gemm, weights of the inputs packed, AVX2)",
               .packed = PackedWeights::inputs,
               .own_gemm = true});
}

TEST(FactsFromName, OfThreadsStoresAndTrips) {
  expect_told({.name = "own copy there and back (AVX2, one thread, non-temporal stores)",
               .single_thread = true,
               .streaming_stores = true,
               .round_trip = true});
  expect_told(
      {.name = "own pointer_chase, one thread, one load after the other", .single_thread = true, .indivisible = true});
  expect_told({.name = "own load_batch: reads and decodes ahead (zlib)", .indivisible = true});
  expect_told({.name = "own fused loop (AVX2, 3 ops on 512 elements at a time, non-temporal stores)",
               .streaming_stores = true});
}

// Names of real traces.
TEST(FactsFromName, OfKernelsThatOnlyConvertALayout) {
  for (const char* name :
       {"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, (cudnnKernelDataType_t)0>(int, float)",
        "void nhwcToNchwKernel<float, float, float, true, false>(cudnn::ops::nhwc2nchw_params_t<float>)",
        "void cudnn::ops::nchwToFoldedNhwcKernel<__half, __half, float, true, (cudnnKernelDataType_t)2>()",
        "void (anonymous namespace)::nchwToNhwcKernel<float>(int)", "batched_transpose_16x32_half",
        "transpose_NCHW2CNHW_V2_2D_WG_float"})
    EXPECT_TRUE(converts_layout(name)) << name;
  for (const char* name :
       {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3",
        "cudnn::bn_fw_tr_1C11_singleread_specialized_NHWC<float>", "at::native::batch_norm_transform_input_channels",
        "void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<unsigned int, 256, 32, 32, false>(int)",
        "void cudnn::ops::nhwcAddPaddingKernel<__half, __half, float, true>(int)",
        "at::native::transpose_readonly_kernel", "dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>"})
    EXPECT_FALSE(converts_layout(name)) << name;
}

TEST(FactsFromName, OfWinogradKernelsOfGpus) {
  EXPECT_EQ(flops_ratio_of("void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(int)"), 1 / 4.0);
  EXPECT_EQ(flops_ratio_of("volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"), 1 / 2.25);
  EXPECT_EQ(flops_ratio_of("void cudnn::winograd_nonfused::winogradForwardData9x9_5x5<float, float>()"), 81 / 625.0);
  EXPECT_EQ(flops_ratio_of("miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1"), 1 / 2.25);
  EXPECT_TRUE(std::isnan(flops_ratio_of("miopenSp3AsmConv_v30_winograd_f3x2"))) << "another F is not guessed";
  EXPECT_EQ(flops_ratio_of("volta_sgemm_64x64_nt"), 1);
}

TEST(FactsFromName, OfKernelsOfGpus) {
  expect_told({.name = "cuBLASLt 13.1.0 algo 66 tile 20 stages 4 split-k 1 workspace 33554432 tf32; not fp8: its 10 "
                       "columns are no multiple of 16, then in place own fused loop (CUDA), 2 ops",
               .library = KernelLibrary::cublas,
               .format = ProductFormat::tf32,
               .not_fp8 = "its 10 columns are no multiple of 16"});
  expect_told({.name = "cuBLASLt 13.1.0 algo 66 workspace 0, fp8 e4m3 x e4m3, a scale per tensor",
               .library = KernelLibrary::cublas,
               .format = ProductFormat::fp8});
  expect_told(
      {.name = "cuDNN 9.1.0 algo 1 workspace 0 tf32", .library = KernelLibrary::cudnn, .format = ProductFormat::tf32});
  expect_told({.name = "own product (CUDA) 64x64x16; cuBLASLt is not here; not fp8: cuBLASLt is not here",
               .not_fp8 = "cuBLASLt is not here",
               .tile_rows = 64,
               .tile_columns = 64});
  expect_told(
      {.name = "own softmax (CUDA), then in place cuDNN 9.1.0 algo 1 workspace 0", .library = KernelLibrary::cudnn});
  expect_told({.name = "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn", .tile_rows = 128, .tile_columns = 64});
  expect_told({.name = "cutlass_80_tensorop_s16816gemm_256x128_32x3_nn", .tile_rows = 256, .tile_columns = 128});
  for (const char* none : {"gemm", "x", "128x", "3x3_conv", "99999999999x128", "17x130"})
    EXPECT_EQ(facts_from_name(none).tile_rows, 0) << none;
  EXPECT_EQ(facts_of_imported_kernel("volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn").code, CodeKind::unknown);
  EXPECT_EQ(facts_of_imported_kernel("reference").code, CodeKind::reference);
  for (const char* imported :
       {"volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn", "oneDNN brgconv:avx512_core", "view", ""}) {
    EXPECT_EQ(facts_of_imported_kernel(imported).library, KernelLibrary::unknown) << imported;
  }
}

}  // namespace
}  // namespace profiler
