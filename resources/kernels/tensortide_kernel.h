// SPDX-License-Identifier: Apache-2.0
// What a kernel for `tensortide kernel` is written with. The same source is compiled twice. Timed, Input and Output are
// plain pointers. With TENSORTIDE_NOTES they are views that note every access, for the cache simulator.
//
//   #include <tensortide_kernel.h>
//
//   void kernel(Input a, Input b, Output c, int m, int n, int k) {
//     ...
//         c[i * n + j] = sum;
//   }
//
// Use the elements as floats: `float x = c[i];`, not `auto` or a reference. Local variables and arrays are not noted:
// they count as registers. Memory that should be noted is a Scratch.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/// `width` floats that are computed with at once: + - * / work on them, and with a float.
template <int width>
struct VectorOf {
  typedef float type __attribute__((vector_size(width * 4)));
};
template <int width>
using Vector = typename VectorOf<width>::type;

#ifndef TENSORTIDE_NOTES

using Input = const float*;
using Output = float*;

/// Memory of the kernel's own, freed with it: Scratch scores(n * n); scores[i] = 0;
class Scratch {
 public:
  explicit Scratch(size_t count) : data_(static_cast<float*>(aligned_alloc(64, (count * 4 + 64) / 64 * 64))) {
    if (data_ == nullptr) abort();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { free(data_); }
  operator float*() { return data_; }

 private:
  float* data_;
};

/// Neighbouring elements at once: Vector<8> v = load<8>(a + i);
template <int width>
inline Vector<width> load(const float* from) {
  Vector<width> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
inline void store(float* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

#else

namespace tensortide {

/// Elements `first` to `first + count` of a tensor, whose values lie at `data`.
struct Place {
  float* data;
  int64_t first, count;
  uint32_t tensor;
};

extern uint64_t *next_note, *last_note;
void flush_notes();
extern char note_lock;
[[noreturn]] void outside(const Place& place, int64_t index, int width, bool stores);
Place take_scratch(int64_t count);
void give_back(const Place&);

#define TENSORTIDE_INLINE inline __attribute__((always_inline))

/// The element's index, its tensor, how many at once, whether they are stored: 36, 16, 8 bits and one.
TENSORTIDE_INLINE void note(const Place& place, int64_t index, int width, bool stores) {
  if (__builtin_expect(index < 0 || index + width > place.count, 0)) outside(place, index, width, stores);
  while (__atomic_test_and_set(&note_lock, __ATOMIC_ACQUIRE)) {
  }
  *next_note++ = uint64_t(place.first + index) | uint64_t(place.tensor) << 36 | uint64_t(width) << 52 |
                 uint64_t(stores) << 60;
  if (next_note == last_note) flush_notes();
  __atomic_clear(&note_lock, __ATOMIC_RELEASE);
}

/// One element that can be stored to.
class Element {
 public:
  TENSORTIDE_INLINE Element(const Place& place, int64_t index) : place_(place), index_(index) {}
  TENSORTIDE_INLINE Element(const Element& other) : place_(other.place_), index_(other.index_) {}
  TENSORTIDE_INLINE operator float() const { return note(place_, index_, 1, false), place_.data[index_]; }
  TENSORTIDE_INLINE float operator=(float x) const {
    note(place_, index_, 1, true);
    return place_.data[index_] = x;
  }
  TENSORTIDE_INLINE float operator=(const Element& x) const { return *this = float(x); }
  TENSORTIDE_INLINE float operator+=(float x) const { return *this = float(*this) + x; }
  TENSORTIDE_INLINE float operator-=(float x) const { return *this = float(*this) - x; }
  TENSORTIDE_INLINE float operator*=(float x) const { return *this = float(*this) * x; }
  TENSORTIDE_INLINE float operator/=(float x) const { return *this = float(*this) / x; }

 private:
  const Place& place_;
  int64_t index_;
};

/// A pointer to elements of a place, which may be moved.
template <class Self, class Value>
class View {
 public:
  View() = default;
  TENSORTIDE_INLINE View(const Place& place, int64_t at) : place_(&place), at_(at) {}
  TENSORTIDE_INLINE Value operator[](ptrdiff_t i) const;
  TENSORTIDE_INLINE Value operator*() const { return (*this)[0]; }
  TENSORTIDE_INLINE Self operator+(ptrdiff_t n) const { return Self(*place_, at_ + n); }
  TENSORTIDE_INLINE Self operator-(ptrdiff_t n) const { return Self(*place_, at_ - n); }
  friend TENSORTIDE_INLINE Self operator+(ptrdiff_t n, const Self& view) { return view + n; }
  TENSORTIDE_INLINE ptrdiff_t operator-(const View& other) const { return at_ - other.at_; }
  TENSORTIDE_INLINE Self& operator+=(ptrdiff_t n) { return at_ += n, self(); }
  TENSORTIDE_INLINE Self& operator-=(ptrdiff_t n) { return at_ -= n, self(); }
  TENSORTIDE_INLINE Self& operator++() { return ++at_, self(); }
  TENSORTIDE_INLINE Self& operator--() { return --at_, self(); }
  TENSORTIDE_INLINE Self operator++(int) { return Self(*place_, at_++); }
  TENSORTIDE_INLINE Self operator--(int) { return Self(*place_, at_--); }
  TENSORTIDE_INLINE bool operator==(const View& other) const { return at_ == other.at_; }
  TENSORTIDE_INLINE bool operator!=(const View& other) const { return at_ != other.at_; }
  TENSORTIDE_INLINE bool operator<(const View& other) const { return at_ < other.at_; }
  TENSORTIDE_INLINE bool operator<=(const View& other) const { return at_ <= other.at_; }
  TENSORTIDE_INLINE bool operator>(const View& other) const { return at_ > other.at_; }
  TENSORTIDE_INLINE bool operator>=(const View& other) const { return at_ >= other.at_; }
  const Place& place() const { return *place_; }
  int64_t at() const { return at_; }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  const Place* place_ = nullptr;
  int64_t at_ = 0;
};

}  // namespace tensortide

class Output : public tensortide::View<Output, tensortide::Element> {
 public:
  using View::View;
};

class Input : public tensortide::View<Input, float> {
 public:
  using View::View;
  TENSORTIDE_INLINE Input(const Output& output) : View(output.place(), output.at()) {}
};

template <>
TENSORTIDE_INLINE float tensortide::View<Input, float>::operator[](ptrdiff_t i) const {
  note(*place_, at_ + i, 1, false);
  return place_->data[at_ + i];
}
template <>
TENSORTIDE_INLINE tensortide::Element tensortide::View<Output, tensortide::Element>::operator[](ptrdiff_t i) const {
  return Element(*place_, at_ + i);
}

class Scratch {
 public:
  explicit Scratch(size_t count) : place_(tensortide::take_scratch(static_cast<int64_t>(count))) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { tensortide::give_back(place_); }
  operator Output() { return Output(place_, 0); }
  operator Input() { return Input(place_, 0); }
  tensortide::Element operator[](ptrdiff_t i) { return Output(place_, 0)[i]; }
  Output operator+(ptrdiff_t n) { return Output(place_, n); }

 private:
  tensortide::Place place_;
};

template <int width>
TENSORTIDE_INLINE Vector<width> load(const Input& from) {
  note(from.place(), from.at(), width, false);
  Vector<width> v;
  __builtin_memcpy(&v, from.place().data + from.at(), sizeof v);
  return v;
}
template <class V>
TENSORTIDE_INLINE void store(const Output& to, V v) {
  note(to.place(), to.at(), sizeof v / 4, true);
  __builtin_memcpy(to.place().data + to.at(), &v, sizeof v);
}

#endif

/// A tensor by rows of `columns` elements: rows(a, n)[i][j] is a[i * n + j].
template <class Pointer>
struct Rows {
  Pointer first;
  ptrdiff_t columns;
  Pointer operator[](ptrdiff_t i) const { return first + i * columns; }
};
inline Rows<Input> rows(Input first, ptrdiff_t columns) { return {first, columns}; }
inline Rows<Output> rows(Output first, ptrdiff_t columns) { return {first, columns}; }
inline Rows<Output> rows(Scratch& first, ptrdiff_t columns) { return {first, columns}; }
