// SPDX-License-Identifier: Apache-2.0
// Sentences on what is wrong with a kernel.
#include "app/base/kernel_fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <cstring>

namespace app {
namespace {

std::string signal_text(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS: return "it used memory that it does not have";
    case SIGFPE: return "it divided a whole number by zero";
    case SIGABRT: return "it called abort(), or threw an exception that nobody caught";
    case SIGILL: return "it reached code that must not be reached, or this processor lacks an instruction";
    case SIGKILL: return "the system ended it";
    default: return fmt::format("it was ended by signal {} ({})", number, strsignal(number));
  }
}

std::string what_text(const KernelFault& f) {
  using Kind = KernelFault::Kind;
  switch (f.kind) {
    case Kind::compiler: return fmt::format("it does not compile:\n{}", f.detail);
    case Kind::notes:
      return fmt::format(
          "it compiles with plain pointers, but not with the views that note accesses. Use elements as floats "
          "(`float x = c[i];`), not as references or `auto`:\n{}",
          f.detail);
    case Kind::compile_time: return fmt::format("the compiler took more than {:g} s, or too much memory", f.seconds);
    case Kind::missing: return fmt::format("it does not define the function that is called: {}", f.detail);
    case Kind::outside:
      return fmt::format("it {} {}[{}], but {} has the elements 0 to {}{}.", f.stores ? "writes" : "reads", f.tensor,
                         f.at, f.tensor, f.count - 1,
                         f.shape.size() > 1 ? fmt::format(" ({})", fmt::join(f.shape, " x ")) : std::string());
    case Kind::scratch:
      return fmt::format("it asks for a Scratch of {} elements; at most {} are there.", f.at, f.count);
    case Kind::signal: return fmt::format("it crashed: {}.", signal_text(f.number));
    case Kind::time: return fmt::format("it was still running after {:g} s. Does this loop end?", f.seconds);
    case Kind::accesses:
      return fmt::format("it made more than {} accesses. Does this loop end? Else give smaller sizes (--simulate).",
                         f.count);
    case Kind::ended: return fmt::format("it ended the program (exit code {}) instead of returning.", f.number);
    case Kind::unwritten:
      return fmt::format("{}{} was never written, nor were {} other elements of {}.", f.tensor,
                         element_text(f.at, f.shape), f.differing - 1, f.count);
    case Kind::wrong:
      return fmt::format("{}{} is {:.7g}; it should be {:.7g}. {} of {} elements are wrong.", f.tensor,
                         element_text(f.at, f.shape), f.got, f.wanted, f.differing, f.count);
  }
  return {};
}

}  // namespace

std::string element_text(int64_t at, const engine::Shape& shape) {
  std::string text;
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    text = fmt::format("[{}]", at % *extent) + text;
    at /= *extent;
  }
  return text;
}

std::string fault_text(const KernelFault& f) {
  std::string text = f.line > 0 ? fmt::format("{}:{}: ", f.file, f.line) : fmt::format("{}: ", f.file);
  text += what_text(f);
  if (!f.source.empty()) text += fmt::format("\n  {}: {}", f.line, f.source);
  if (!f.printed.empty()) text += fmt::format("\nIt printed:\n{}", f.printed);
  return text;
}

}  // namespace app
