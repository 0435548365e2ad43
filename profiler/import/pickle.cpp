// SPDX-License-Identifier: Apache-2.0
// The opcodes of pickle protocols 2 to 5 that make plain data.
#include "profiler/import/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>

#include "profiler/store/sqlite.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using Kind = PickleValue::Kind;

namespace {

constexpr size_t kLongestText = size_t{1} << 24, kPiece = size_t{1} << 20;
constexpr size_t kLongestKept = 64;                  // characters of texts that are kept once each
constexpr size_t kDenseMemo = 16;                    // numbers beyond all given so far that still are entries of a list
constexpr size_t kOfAContainer = 4, kOfAFarOne = 4;  // memory of a list, and of a memo far from the others, in values

PickleValue pickle_value(Kind kind, uint32_t index = 0, int64_t integer = 0) {
  PickleValue value;
  value.kind = kind, value.index = index, value.integer = integer;
  return value;
}

}  // namespace

class PickleReader {
 public:
  PickleReader(ByteStream& stream, std::string file, const ImportControl& control, const Pickle::Shorten& shorten,
               size_t most_values)
      : stream_(stream), file_(std::move(file)), control_(control), shorten_(shorten), most_values_(most_values) {}

  Result<Pickle> read() {
    for (;;) {
      const unsigned char op = byte();
      if (!trouble_) return trouble_.error();
      if (op == '.') break;
      if (!take(op))
        return trouble_ ? refused("holds a list or dictionary that does not fit together") : trouble_.error();
      if (++taken_ % 65536 == 0 && control_.stopped()) return refused("the import was cancelled");
      if (values_ > most_values_) return refused(fmt::format("holds more than {} values", most_values_));
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
    if (have_ - at_ < count) [[unlikely]] {
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
  void push_integer(int64_t value) { push(pickle_value(Kind::integer, 0, value)); }
  bool push_text(uint64_t size) {
    if (size > kLongestText) fail(fmt::format("holds a text of {} bytes; at most {} are read", size, kLongestText));
    if (pickle_.texts_.size() > most_values_) fail(fmt::format("holds more than {} texts", most_values_));
    const unsigned char* at = trouble_ ? bytes(static_cast<size_t>(size)) : nullptr;
    if (at == nullptr) return false;
    std::string text(reinterpret_cast<const char*>(at), static_cast<size_t>(size));
    auto index = static_cast<uint32_t>(pickle_.texts_.size());
    if (size <= kLongestKept) {
      const auto [known, added] = kept_.try_emplace(text, index);
      index = known->second;
      if (!added) return push(pickle_value(Kind::text, index)), true;
    }
    pickle_.texts_.push_back(std::move(text));
    push(pickle_value(Kind::text, index));
    return true;
  }
  /// A list or dictionary of the topmost `count` values, which go.
  void push_container(Kind kind, size_t count = 0) {
    uint32_t index = static_cast<uint32_t>(pickle_.containers_.size());
    if (free_.empty()) pickle_.containers_.emplace_back();
    else index = free_.back(), free_.pop_back();
    Pickle::Container& container = pickle_.containers_[index];
    const auto from = stack_.end() - static_cast<std::ptrdiff_t>(count);
    container.items.assign(from, stack_.end());
    stack_.erase(from, stack_.end());
    push(pickle_value(kind, index, container.number));
    values_ += kOfAContainer - 1;
  }
  /// How many values stand above the last mark; nothing: there is none.
  std::optional<size_t> above_mark() const {
    for (size_t at = stack_.size(); at > 0; --at) {
      if (stack_[at - 1].kind == Kind::mark) return stack_.size() - at;
    }
    return {};
  }
  /// The topmost `count` values go to the list or dictionary below them, `skipped` further down (a mark).
  bool append(Kind kind, std::optional<size_t> count, size_t skipped) {
    if (!count || stack_.size() < *count + skipped + 1 || (kind == Kind::dictionary && *count % 2 != 0)) return false;
    const PickleValue to = stack_[stack_.size() - *count - skipped - 1];
    if (to.kind != kind || pickle_.containers_[to.index].number != to.integer) return false;
    const auto from = stack_.end() - static_cast<std::ptrdiff_t>(*count);
    for (auto item = from; item != stack_.end(); ++item) {
      if (item->kind == Kind::mark) return false;
      if (kind == Kind::list && item->kind == Kind::dictionary && shorten_) shorten(*item);
    }
    std::vector<PickleValue>& items = pickle_.containers_[to.index].items;
    items.insert(items.end(), from, stack_.end());
    stack_.erase(from - static_cast<std::ptrdiff_t>(skipped), stack_.end());
    return true;
  }
  /// What a number stands for holds nothing any more, nor do the lists in it: later ones are put at their places.
  void shorten(PickleValue& item) {
    Pickle::Container& container = pickle_.containers_[item.index];
    if (container.asked || container.number != item.integer) return;
    container.asked = true;
    const std::optional<int64_t> number = shorten_(pickle_, item);
    if (!number) return;
    forget(item, 4);
    item = pickle_value(Kind::integer, 0, *number);
  }
  void forget(const PickleValue& value, int depth) {
    if ((value.kind != Kind::list && value.kind != Kind::dictionary) || depth == 0) return;
    Pickle::Container& container = pickle_.containers_[value.index];
    if (container.number != value.integer) return;
    ++container.number;  // first: a container may hold itself
    container.asked = false;
    values_ -= std::min(values_, container.items.size() + kOfAContainer);
    std::vector<PickleValue> items = std::move(container.items);
    for (const PickleValue& inner : items) forget(inner, depth - 1);
    items.clear();
    pickle_.containers_[value.index].items = std::move(items);  // its memory serves the next one
    free_.push_back(value.index);
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
    if (key < memo_.size()) {
      memo_[key] = stack_.back();
    } else if (key < memo_.size() + kDenseMemo) {
      memo_.resize(key, pickle_value(Kind::mark));
      memo_.push_back(stack_.back());
    } else {
      far_memo_[key] = stack_.back();
    }
    if (memo_.size() + kOfAFarOne * far_memo_.size() > most_values_)
      fail(fmt::format("numbers more than {} values to name them again", most_values_));
    return static_cast<bool>(trouble_);
  }
  bool recall(uint64_t key) {
    if (key < memo_.size() && memo_[key].kind != Kind::mark) return push(memo_[key]), true;
    const auto known = far_memo_.find(key);
    if (known == far_memo_.end()) return false;
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
        PickleValue value = pickle_value(Kind::real);
        value.real = std::bit_cast<double>(__builtin_bswap64(low_first));
        push(value);
        return true;
      }
      default: return false;
    }
  }
  bool tuple(std::optional<size_t> count, size_t marks) {
    if (!count || stack_.size() < *count + marks) return false;
    push_container(Kind::list, *count);
    if (marks == 0) return true;
    stack_[stack_.size() - 2] = stack_.back();
    stack_.pop_back();
    return true;
  }
  bool take_container(unsigned char op) {
    switch (op) {
      case '}': push_container(Kind::dictionary); return true;
      case ']':
      case ')': push_container(Kind::list); return true;
      case 't': return tuple(above_mark(), 1);
      case 0x85:
      case 0x86:
      case 0x87: return tuple(op - 0x84u, 0);
      case 'a': return append(Kind::list, 1, 0);
      case 'e': return append(Kind::list, above_mark(), 1);
      case 's': return append(Kind::dictionary, 2, 0);
      case 'u': return append(Kind::dictionary, above_mark(), 1);
      default: return false;
    }
  }
  /// False: it does not fit, or `trouble_` says why.
  bool take(unsigned char op) {
    switch (op) {
      case 0x80: number(1); return static_cast<bool>(trouble_);  // protocol
      case 0x95: number(8); return static_cast<bool>(trouble_);  // frame
      case '(': push(pickle_value(Kind::mark)); return true;
      case 'N': push({}); return true;
      case 0x88:
      case 0x89: push(pickle_value(Kind::boolean, 0, op == 0x88 ? 1 : 0)); return true;
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
  const Pickle::Shorten& shorten_;
  const size_t most_values_;
  Pickle pickle_;
  Result<void> trouble_;
  std::vector<unsigned char> buffer_;
  size_t have_ = 0, at_ = 0, values_ = 0, taken_ = 0;
  uint64_t memo_next_ = 0;
  std::vector<PickleValue> stack_;
  std::deque<PickleValue> memo_;  // by number; a mark: nothing has it
  std::unordered_map<uint64_t, PickleValue> far_memo_;
  std::unordered_map<std::string, uint32_t> kept_;  // short texts
  std::vector<uint32_t> free_;                      // places of containers that hold nothing any more
};

Result<Pickle> Pickle::read(const std::filesystem::path& file, const ImportControl& control, const Shorten& shorten,
                            size_t most_values) {
  auto stream = ByteStream::open(file, control);
  if (!stream) return stream.error();
  return PickleReader(**stream, sqlite::shown(file), control, shorten, most_values).read();
}

std::string_view Pickle::text(const PickleValue& value) const {
  return value.kind == Kind::text ? std::string_view(texts_[value.index]) : std::string_view();
}

const std::vector<PickleValue>& Pickle::items(const PickleValue& value) const {
  static const std::vector<PickleValue> kNone;
  const bool holds = value.kind == Kind::list || value.kind == Kind::dictionary;
  // a number took the place of what is forgotten
  return holds && containers_[value.index].number == value.integer ? containers_[value.index].items : kNone;
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
