// SPDX-License-Identifier: Apache-2.0
// Names of communication kernels: libraries by their own words, collectives by what they do, however the words are
// joined.
#include "profiler/capture/communication.h"

#include <array>
#include <cctype>
#include <string>

namespace profiler {
namespace {

/// Scope and name of what runs, in small letters without '_' and '-': parameters and template arguments say what it
/// works on.
std::string plain_head(std::string_view name) {
  std::string head;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool behind_name = i > 0 && name[i - 1] != ' ' && name[i - 1] != ':';  // "(anonymous namespace)::" is scope
    if (c == '(' && depth == 0 && behind_name) break;
    if (c == '<' || c == '(') ++depth;
    if (depth == 0 && c != '_' && c != '-') head += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  return head;
}

/// Word of a library: at the start, or behind what is no letter.
bool has_word(std::string_view head, std::string_view word) {
  for (size_t at = head.find(word); at != head.npos; at = head.find(word, at + 1)) {
    if (at == 0 || std::isalpha(static_cast<unsigned char>(head[at - 1])) == 0) return true;
  }
  return false;
}

}  // namespace

bool is_communication_name(std::string_view kernel_name) {
  const std::string head = plain_head(kernel_name);
  // XLA names fusions after what is in them: they compute
  if (head.find("fusion") != head.npos && head.find("nccl") == head.npos) return false;
  constexpr std::array kLibraries{"nccl",     "rccl",   "msccl",  "oneccl", "hccl",    "nvshmem",
                                  "rocshmem", "deepep", "c10d::", "gloo:",  "mscclpp", "ucc"};
  for (const std::string_view word : kLibraries) {
    if (has_word(head, word)) return true;
  }
  // inside one thread block or warp nothing is sent anywhere
  for (const std::string_view inside :
       {"blockallreduce", "warpallreduce", "blockreduce", "warpreduce", "groupallreduce"}) {
    if (head.find(inside) != head.npos) return false;
  }
  constexpr std::array kCollectives{"allreduce",       "allgather",         "reducescatter",     "alltoall",
                                    "sendrecv",        "crossdevicereduce", "collectivepermute", "collectivebroadcast",
                                    "crossreplicasum", "raggedalltoall"};
  for (const std::string_view word : kCollectives) {
    if (head.find(word) != head.npos) return true;
  }
  return false;
}

bool Communication::is(uint32_t activity) {
  const ActivityColumns& all = capture_.activities();
  if (all.kind[activity] != ActivityKind::kernel) return false;
  const uint64_t correlation = all.correlation[activity];
  if (correlation != 0 && capture_.collective_of(correlation) != nullptr) return true;
  const auto [entry, fresh] = known_.try_emplace(all.name[activity], false);
  if (fresh) entry->second = is_communication_name(capture_.name(entry->first));
  return entry->second;
}

}  // namespace profiler
