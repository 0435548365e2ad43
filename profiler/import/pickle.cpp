// SPDX-License-Identifier: Apache-2.0
// The opcodes of pickle protocols 2 to 5 that make plain data.
#include "profiler/import/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "profiler/store/sqlite.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using Kind = PickleValue::Kind;

namespace {

constexpr size_t kMostValues = size_t{1} << 27, kLongestText = size_t{1} << 24, kPiece = size_t{1} << 20;

}  // namespace

class PickleReader {
 public:
  PickleReader(ByteStream& stream, std::string file, const ImportControl& control)
      : stream_(stream), file_(std::move(file)), control_(control) {}

  Result<Pickle> read() {
    for (;;) {
      const unsigned char op = byte();
      if (!trouble_) return trouble_.error();
      if (op == '.') break;
      if (!take(op))
        return trouble_ ? refused("holds a list or dictionary that does not fit together") : trouble_.error();
      if (++taken_ % 65536 == 0 && control_.stopped()) return refused("the import was cancelled");
      if (values_ > kMostValues) return refused(fmt::format("holds more than {} values", kMostValues));
    }
    if (stack_.empty()) return refused("holds no value");
    pickle_.root_ = stack_.back();
    return std::move(pickle_);
  }

 private:
  engine::Error refused(const std::string& why) const { return refused_error(fmt::format("{}: {}", file_, why)); }
  void fail(const std::string& why) {
    if (trouble_) trouble_ = refused(why);
  }
  /// `count` bytes in a row; null: the file breaks off.
  const unsigned char* bytes(size_t count) {
    if (have_ - at_ < count) {
      buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
      have_ -= at_, at_ = 0;
      while (have_ < count) {
        buffer_.resize(have_ + std::max(kPiece, count - have_));
        const Result<size_t> got =
            stream_.read(reinterpret_cast<char*>(buffer_.data()) + have_, buffer_.size() - have_);
        if (!got) {
          if (trouble_) trouble_ = got.error();
          return nullptr;
        }
        if (*got == 0) {
          fail("breaks off: it is no whole pickle; write it again");
          return nullptr;
        }
        have_ += *got;
      }
    }
    at_ += count;
    return buffer_.data() + at_ - count;
  }
  unsigned char byte() {
    const unsigned char* at = bytes(1);
    return at == nullptr ? 0 : *at;
  }
  /// A number of `count` bytes, the lowest first.
  uint64_t number(size_t count) {
    const unsigned char* at = bytes(count);
    uint64_t value = 0;
    for (size_t i = 0; at != nullptr && i < count; ++i) value |= static_cast<uint64_t>(at[i]) << (8 * i);
    return value;
  }
  void push(PickleValue value) {
    ++values_;
    stack_.push_back(value);
  }
  void push_integer(int64_t value) { push({Kind::integer, value, 0, 0}); }
  bool push_text(uint64_t size) {
    if (size > kLongestText) fail(fmt::format("holds a text of {} bytes; at most {} are read", size, kLongestText));
    const unsigned char* at = trouble_ ? bytes(static_cast<size_t>(size)) : nullptr;
    if (at == nullptr) return false;
    pickle_.texts_.emplace_back(reinterpret_cast<const char*>(at), static_cast<size_t>(size));
    push({Kind::text, 0, 0, static_cast<uint32_t>(pickle_.texts_.size() - 1)});
    return true;
  }
  void push_container(Kind kind, std::vector<PickleValue> items = {}) {
    pickle_.containers_.push_back(std::move(items));
    push({kind, 0, 0, static_cast<uint32_t>(pickle_.containers_.size() - 1)});
  }
  /// What stands above the last mark, which goes, too; false: there is none.
  bool pop_mark(std::vector<PickleValue>& items) {
    size_t at = stack_.size();
    while (at > 0 && stack_[at - 1].kind != Kind::mark) --at;
    if (at == 0) return false;
    items.assign(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end());
    stack_.resize(at - 1);
    return true;
  }
  bool pop(size_t count, std::vector<PickleValue>& items) {
    if (stack_.size() < count) return false;
    items.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return true;
  }
  bool append(Kind kind, const std::vector<PickleValue>& items) {
    if (stack_.empty() || stack_.back().kind != kind || (kind == Kind::dictionary && items.size() % 2 != 0))
      return false;
    for (const PickleValue& item : items) {
      if (item.kind == Kind::mark) return false;
    }
    std::vector<PickleValue>& to = pickle_.containers_[stack_.back().index];
    to.insert(to.end(), items.begin(), items.end());
    return true;
  }
  /// An integer of that many bytes in two's complement; beyond 64 bits it is no figure that anybody needs.
  bool push_long(uint64_t size) {
    if (size > 8) {
      const unsigned char* at = size <= kLongestText ? bytes(static_cast<size_t>(size)) : nullptr;
      if (at == nullptr) return false;
      push({});
      return true;
    }
    uint64_t value = number(static_cast<size_t>(size));
    if (size > 0 && size < 8 && (value >> (8 * size - 1) & 1) != 0) value |= ~uint64_t{0} << (8 * size);
    push_integer(static_cast<int64_t>(value));
    return true;
  }
  bool memoize(uint64_t key) {
    if (stack_.empty() || stack_.back().kind == Kind::mark) return false;
    memo_[key] = stack_.back();
    return true;
  }
  bool recall(uint64_t key) {
    const auto known = memo_.find(key);
    if (known == memo_.end()) return false;
    push(known->second);
    return true;
  }
  bool take_number(unsigned char op) {
    switch (op) {
      case 'J': push_integer(static_cast<int32_t>(number(4))); return true;
      case 'K': push_integer(static_cast<int64_t>(number(1))); return true;
      case 'M': push_integer(static_cast<int64_t>(number(2))); return true;
      case 0x8a: return push_long(number(1));
      case 0x8b: return push_long(number(4));
      case 'G': {
        const uint64_t low_first = number(8);
        push({Kind::real, 0, std::bit_cast<double>(__builtin_bswap64(low_first)), 0});
        return true;
      }
      default: return false;
    }
  }
  bool take_container(unsigned char op) {
    std::vector<PickleValue> items;
    switch (op) {
      case '}': push_container(Kind::dictionary); return true;
      case ']':
      case ')': push_container(Kind::list); return true;
      case 't':
        if (!pop_mark(items)) return false;
        push_container(Kind::list, std::move(items));
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        if (!pop(op - 0x84u, items)) return false;
        push_container(Kind::list, std::move(items));
        return true;
      case 'a': return pop(1, items) && append(Kind::list, items);
      case 'e': return pop_mark(items) && append(Kind::list, items);
      case 's': return pop(2, items) && append(Kind::dictionary, items);
      case 'u': return pop_mark(items) && append(Kind::dictionary, items);
      default: return false;
    }
  }
  /// False: it does not fit, or `trouble_` says why.
  bool take(unsigned char op) {
    switch (op) {
      case 0x80: number(1); return static_cast<bool>(trouble_);  // protocol
      case 0x95: number(8); return static_cast<bool>(trouble_);  // frame
      case '(': push({Kind::mark, 0, 0, 0}); return true;
      case 'N': push({}); return true;
      case 0x88:
      case 0x89: push({Kind::boolean, op == 0x88 ? 1 : 0, 0, 0}); return true;
      case 'X': return push_text(number(4));
      case 0x8c: return push_text(number(1));
      case 0x8d: return push_text(number(8));
      case 0x94: return memoize(memo_next_++);
      case 'q': return memoize(number(1));
      case 'r': return memoize(number(4));
      case 'h': return recall(number(1));
      case 'j': return recall(number(4));
      case 'J':
      case 'K':
      case 'M':
      case 'G':
      case 0x8a:
      case 0x8b: return take_number(op) && trouble_;
      default: break;
    }
    constexpr std::string_view kContainers = "}])taesu\x85\x86\x87";
    if (kContainers.find(static_cast<char>(op)) != kContainers.npos) return take_container(op);
    fail(fmt::format("asks for more than plain data (opcode 0x{:02x}): objects are not built from a file", op));
    return false;
  }

  ByteStream& stream_;
  std::string file_;
  const ImportControl& control_;
  Pickle pickle_;
  Result<void> trouble_;
  std::vector<unsigned char> buffer_;
  size_t have_ = 0, at_ = 0, values_ = 0, taken_ = 0;
  uint64_t memo_next_ = 0;
  std::vector<PickleValue> stack_;
  std::unordered_map<uint64_t, PickleValue> memo_;
};

Result<Pickle> Pickle::read(const std::filesystem::path& file, const ImportControl& control) {
  auto stream = ByteStream::open(file, control);
  if (!stream) return stream.error();
  return PickleReader(**stream, sqlite::shown(file), control).read();
}

std::string_view Pickle::text(const PickleValue& value) const {
  return value.kind == Kind::text ? std::string_view(texts_[value.index]) : std::string_view();
}

const std::vector<PickleValue>& Pickle::items(const PickleValue& value) const {
  static const std::vector<PickleValue> kNone;
  const bool holds = value.kind == Kind::list || value.kind == Kind::dictionary;
  return holds ? containers_[value.index] : kNone;
}

PickleValue Pickle::at(const PickleValue& dictionary, std::string_view key) const {
  if (dictionary.kind != Kind::dictionary) return {};
  const std::vector<PickleValue>& all = items(dictionary);
  for (size_t i = all.size(); i >= 2; i -= 2) {  // the last of equal keys counts
    if (all[i - 2].kind == Kind::text && text(all[i - 2]) == key) return all[i - 1];
  }
  return {};
}

}  // namespace profiler
