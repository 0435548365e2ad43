// SPDX-License-Identifier: Apache-2.0
// The one place that reads what a probe met out of sentences: machines stored before schema 2, which held nothing else.
#pragma once

#include "profiler/machine/machine.h"

namespace profiler {

/// Moves those of Machine::notes that say it into Machine's fields. Other notes stay, as do sentences with a part that
/// cannot be read.
void set_fields_from_notes(Machine&);

}  // namespace profiler
