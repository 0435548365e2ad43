// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error in words a user can act on. The world may refuse; nothing is thrown.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/check.h"

namespace engine {

/// Who has to change something: the caller (`usage`, exit code 2) or the world (`refused`, exit code 3: file, driver,
/// memory).
enum class ErrorKind { usage, refused };

/// A refusal. `message` says where, which value, and what would help: "[matmul] inner dimensions differ: a has k = 64,
/// b has k = 32".
struct Error {
  ErrorKind kind = ErrorKind::usage;
  std::string message;
};

inline Error usage_error(std::string message) { return {ErrorKind::usage, std::move(message)}; }
inline Error refused_error(std::string message) { return {ErrorKind::refused, std::move(message)}; }

/// Either a `T` or an `Error`. Asking for the one that is not there is our own mistake and stops the program.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Done, or why not.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace engine
