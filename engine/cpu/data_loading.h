// SPDX-License-Identifier: Apache-2.0
// load_batch made ready. No kernel of the list: the file system may refuse it.
#pragma once

#include <memory>
#include <string_view>

#include "engine/runtime/backend.h"

namespace engine::cpu {

inline constexpr std::string_view kLoadBatchName = "load_batch";

Result<std::unique_ptr<PreparedOp>> prepare_load_batch(const PrepareRequest& request);

}  // namespace engine::cpu
