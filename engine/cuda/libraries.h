// SPDX-License-Identifier: Apache-2.0
// cuDNN and cuBLASLt, opened by name at run time when they are on the machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/base/library_search.h"

namespace engine::cuda {

/// Whether an opened library has all functions that are called.
using HasAll = std::function<bool(void* handle)>;

/// libcudnn.so.9, else .8; $TENSORTIDE_CUDNN. One that lacks functions is refused, and the next is tried.
LibrarySearch search_cudnn(const HasAll& has_all = {});
/// libcublasLt.so.13; $TENSORTIDE_CUBLASLT.
LibrarySearch search_cublas_lt(const HasAll& has_all = {});

/// "cuDNN 9.28.0" of what cudnnGetVersion() says: 92800; 8907 before 9.
std::string cudnn_name(size_t version);
/// "cuBLASLt 13.1.0" of what cublasLtGetVersion() says: 130100.
std::string cublas_lt_name(size_t version);

}  // namespace engine::cuda
