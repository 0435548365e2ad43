// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries that are opened by name at run time, when they are on the machine: where they are looked for.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>

namespace engine::cuda {

/// The first of these files that opens, by the loader's own search, in $CUDA_HOME or in /usr/local/cuda; where the environment variable
/// `variable` names a file: that one alone, and "none" is none. It stays open: threads of such libraries may outlive whoever uses them.
/// Null when there is none; `why` then says so, in the loader's words.
void* open_library(const char* variable, std::initializer_list<const char*> files, std::string& why);

/// libcudnn.so.9, else .8; $TENSORTIDE_CUDNN.
void* open_cudnn(std::string& why);
/// "cuDNN 9.28.0" of what cudnnGetVersion() says: 92800; 8907 before 9.
std::string cudnn_name(size_t version);

}  // namespace engine::cuda
