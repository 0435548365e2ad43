// SPDX-License-Identifier: Apache-2.0
// Text and numbers as XML: what the parts of an HTML report share.
#pragma once

#include <string>
#include <string_view>

#include "profiler/report/report.h"

namespace profiler {

/// As text or attribute of XML, in which control characters and the like stand as engine::display_text() shows them.
std::string escaped(std::string_view text);
std::string origin_mark(Origin);
/// Numbers keep all their digits for machines: <data value>.
std::string number_element(const std::string& key, double value, const std::string& text);
/// A table that a reader can sort and scroll. Sorting is radio buttons and `order` of a style sheet: no script.
std::string table_html(const ReportTable&);

}  // namespace profiler
