// SPDX-License-Identifier: Apache-2.0
// What is done with all collectors.
#include "profiler/record/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/nearest_name.h"

namespace profiler {

using engine::Result;

std::span<const Collector* const> collectors() { return kCollectors; }

const Collector* find_collector(std::string_view name) {
  const auto all = collectors();
  const auto found = std::ranges::find(all, name, [](const Collector* collector) { return collector->name; });
  return found == all.end() ? nullptr : *found;
}

Result<CollectorNames> parse_collectors(std::string_view list, const std::string& device, const GpuChain& chain) {
  CollectorNames names;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string source(list.substr(begin, end - begin));
    begin = end + 1;
    const Collector* collector = find_collector(source);
    if (collector == nullptr) {
      std::vector<std::string> known;
      for (const Collector* one : collectors()) known.emplace_back(one->name);
      return engine::usage_error(fmt::format("[--collect] unknown source \"{}\"; did you mean \"{}\"?", source,
                                             engine::nearest_name(source, known)));
    }
    if (const Availability a = collector->check(chain); !a.available) {
      return engine::refused_error(
          fmt::format("[--collect] {}: {}{}", source, a.why, a.remedy.empty() ? "" : "; what helps: " + a.remedy));
    }
    if (collector->start != nullptr) names.insert(source);
  }
  if (const Result<void> taken = check_device(names, device); !taken) return taken.error();
  return names;
}

Result<void> check_device(const CollectorNames& names, const std::string& device) {
  for (const Collector* collector : collectors()) {
    if (collector->takes == nullptr || !names.contains(collector->name)) continue;
    if (const Result<void> taken = collector->takes(device); !taken) return taken;
  }
  return {};
}

std::string collector_list(const CollectorNames& names) {
  std::string list;
  for (const Collector* collector : collectors()) {
    if (names.contains(collector->name)) list.append(list.empty() ? "ops," : ",").append(collector->name);
  }
  return list;
}

std::string collector_choices(bool of_sweeps) {
  CollectorNames names;
  for (const Collector* collector : collectors()) {
    if (collector->start != nullptr && (collector->in_sweeps || !of_sweeps)) names.emplace(collector->name);
  }
  return collector_list(names);
}

Result<Collections> start_collectors(CollectContext& context, When when) {
  Collections started;
  for (const Collector* collector : collectors()) {
    if (collector->when != when || collector->start == nullptr || !context.asked.contains(collector->name)) continue;
    Result<std::unique_ptr<Collection>> one = collector->start(context);
    if (!one) return one.error();
    if (*one) started.push_back(*std::move(one));
  }
  return started;
}

Result<std::shared_ptr<const Capture>> collect_afterwards(CollectContext& context,
                                                          std::shared_ptr<const Capture> capture) {
  for (const When when : {When::after, When::apart}) {
    const Result<Collections> started = start_collectors(context, when);
    if (!started) return started.error();
    for (const auto& collection : *started) {
      Result<std::shared_ptr<const Capture>> more = collection->finish(std::move(capture));
      if (!more) return more;
      capture = *std::move(more);
    }
  }
  return capture;
}

}  // namespace profiler
