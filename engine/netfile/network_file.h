// SPDX-License-Identifier: Apache-2.0
// Networks that users describe in a JSON file, read as workloads.
#pragma once

#include <string>
#include <string_view>

#include "engine/workloads/workload.h"

namespace engine {

/// What such a file holds, with an example: for --help.
std::string_view network_file_help();

/// The file as a workload. A config.json of a language model: engine/workloads/llm.h. Of a network batch, mode, dtype,
/// those of the optimiser and checkpointing are its parameters, with the file's values as defaults. Refused naming
/// file, layer and field: "[net.json] layers[3].kernel: \"three\" is no whole number".
Result<Workload> load_network_file(const std::string& path);
/// Whether the beginning of a .json file names the fields of a network: traces of other tools end in .json too. It may
/// still be wrong.
bool looks_like_network_file(const std::string& path);
/// The same from text; `name` stands for the file in messages.
Result<Workload> parse_network(std::string_view text, const std::string& name);

}  // namespace engine
