// SPDX-License-Identifier: Apache-2.0
// Part of the cupti.h of this folder.
#pragma once

#include <cupti.h>
