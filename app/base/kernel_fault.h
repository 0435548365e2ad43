// SPDX-License-Identifier: Apache-2.0
// KernelFault: why a learner's kernel did not do what it should: facts, and the sentence made of them.
#pragma once

#include <cmath>
#include <string>

#include "engine/tensor/shape.h"

namespace app {

struct KernelFault {
  enum class Kind {
    compiler,      ///< it does not compile: `detail` is what the compiler printed
    notes,         ///< it compiles with pointers, but not with the views that note accesses
    compile_time,  ///< the compiler was ended after `seconds`
    missing,       ///< there is no function of the wanted signature: `detail`
    outside,       ///< an access outside of a tensor
    scratch,       ///< more scratch than there is: `at` asked for, `count` there are
    signal,        ///< `number`
    time,          ///< still running after `seconds`
    accesses,      ///< more than `count` accesses
    ended,         ///< it ended the process, with code `number`
    unwritten,     ///< an element of the result was never written
    wrong,         ///< an element of the result differs
  };
  Kind kind = Kind::wrong;
  std::string file = {};    ///< its name
  int line = 0;             ///< 0: unknown
  std::string source = {};  ///< the text of that line
  std::string detail = {};
  std::string tensor = {};
  engine::Shape shape = {};   ///< of the tensor
  int64_t at = 0, count = 0;  ///< element by its position; elements of the tensor
  bool stores = false;        ///< the access
  int64_t differing = 0;      ///< wrong, unwritten: elements
  double got = std::nan(""), wanted = std::nan("");
  int number = 0;
  double seconds = 0;
  std::string printed = {};  ///< by the program
};

/// "[3][5]" of position 101 in 32 x 32.
std::string element_text(int64_t at, const engine::Shape&);
/// "mine.cpp:7: it reads a[1024], but a has the elements 0 to 1023."
std::string fault_text(const KernelFault&);

}  // namespace app
