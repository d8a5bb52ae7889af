/* Shared memory for C++: objects that all nodes can name, and iterators over distributed arrays.
 *
 *     shared_int a;                      // an int in shared memory of this node, zero
 *     *a = 5;  a = 5;  int b = a + 1;    // read and written wherever it is
 *     skein_shared int *p = &a;          // its global address; travels with a thread
 *     shared_int c; c = p;               // c is the same int now
 *     shared_float *x = new shared_float[n];   // x, x + i and x[i] mean the same on all nodes
 *
 * A shared<T> that lies in shared memory itself, as those of `new` do, *is* the value; one that lies elsewhere holds
 * the address of a value, which it frees at its end if it made it. Copies name the same value; assignment of anything
 * but an address assigns the value. (Source: TR-97-038, section 5.5.2.) */
#ifndef SKEIN_SHARED_HPP
#define SKEIN_SHARED_HPP

#ifndef __cplusplus
#error "<skein/shared.hpp> is for C++; C has the type itself: skein_shared int *"
#endif

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <skein/shared.h>
#include <skein/shared_array.h>
#include <type_traits>

extern "C" const char __ehdr_start[] __attribute__((visibility("hidden"))); // where the program is loaded

namespace skein {

/// T, where it is not to be deduced.
template <typename T> struct same {
  using type = T;
};
template <typename T> using same_t = typename same<T>::type;

/// Copies structs as a whole. `*p` cannot be copied in C++ (a class's constructors and operators take plain memory),
/// but its members can. T must be copyable byte by byte.
template <typename T> std::remove_cv_t<T> get(T skein_shared *from) {
  using Value = std::remove_cv_t<T>;
  static_assert(std::is_trivially_copyable_v<Value>, "values in shared memory are copied byte by byte");
  if constexpr (std::is_class_v<Value> || std::is_union_v<Value>) {
    union Copy { // allows types without a default constructor
      Copy() {}
      Value value;
    } copy;
    __builtin_memcpy(&copy, from, sizeof(Value));
    return copy.value;
  } else {
    return *from;
  }
}
template <typename T> void set(T skein_shared *to, const same_t<T> &value) {
  static_assert(std::is_trivially_copyable_v<T>, "values in shared memory are copied byte by byte");
  if constexpr (std::is_class_v<T> || std::is_union_v<T>)
    __builtin_memcpy(to, &value, sizeof(T));
  else
    *to = value;
}

/// A value of type T in shared memory; T may be copied byte by byte.
template <typename T> class shared {
  static_assert(std::is_trivially_copyable_v<T>, "values in shared memory are copied byte by byte");

public:
  using value_type = T;
  using pointer = T skein_shared *;

  /// A new value, zero, on this node. Blocks only in a thread's first allocations. Throws std::bad_alloc.
  shared() {
    if (!is_value()) {
      held = 0;
      if (skein_self()) // before main nobody can allocate: then at its first use
        own();
    }
  }
  shared(const T &value) : shared() { set(at(), value); }
  /// Makes another name for the value of `other`, or for what lies at `address`.
  shared(const shared &other) : shared(other.at()) {}
  explicit shared(pointer address) {
    if (is_value())
      set(at(), get(address));
    else
      held = number(address);
  }
  ~shared() {
    if (!is_value() && (held & owner))
      skein_shared_free(at());
  }

  T skein_shared &operator*() const { return *at(); }
  pointer operator->() const { return at(); }
  pointer operator&() const { return at(); }
  operator T() const { return get(at()); }

  /// From now on this names what lies at `address`. Not for objects in shared memory, which are a value themselves.
  shared &operator=(pointer address) {
    if (!is_value()) {
      this->~shared();
      held = number(address);
    }
    return *this;
  }
  shared &operator=(const T &value) {
    set(at(), value);
    return *this;
  }
  shared &operator=(const shared &other) { return *this = static_cast<T>(other); }
  template <typename U> shared &operator+=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) + by); }
  template <typename U> shared &operator-=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) - by); }
  template <typename U> shared &operator*=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) * by); }
  template <typename U> shared &operator/=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) / by); }
  template <typename U> shared &operator%=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) % by); }
  template <typename U> shared &operator&=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) & by); }
  template <typename U> shared &operator|=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) | by); }
  template <typename U> shared &operator^=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) ^ by); }
  template <typename U> shared &operator<<=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) << by); }
  template <typename U> shared &operator>>=(const U &by) { return *this = static_cast<T>(static_cast<T>(*this) >> by); }
  shared &operator++() { return *this += 1; }
  shared &operator--() { return *this -= 1; }
  T operator++(int) {
    const T before = *this;
    *this += 1;
    return before;
  }
  T operator--(int) {
    const T before = *this;
    *this -= 1;
    return before;
  }

  /// To be called for this object on every node, once: then all of them name one value, which lies on `node`. Objects
  /// find each other by `key`; 0: by their place among the program's variables. SKEIN_EPOINTER if the object is no such
  /// variable, SKEIN_ENODE, SKEIN_EMEMORY. Blocks until all nodes have called it, may migrate. The value lives until
  /// the program ends.
  int create_global(int node, uint64_t key = 0) {
    if (node < 0 || node >= skein_nodes())
      return SKEIN_ENODE;
    if (is_value())
      return SKEIN_EPOINTER;
    if (!key) {
      extern const char end_of_program[] __asm__("_end") __attribute__((visibility("hidden")));
      const auto self = reinterpret_cast<uintptr_t>(this), begin = reinterpret_cast<uintptr_t>(__ehdr_start);
      if (self < begin || self >= reinterpret_cast<uintptr_t>(end_of_program))
        return SKEIN_EPOINTER;
      key = self - begin + (UINT64_C(1) << 62); // differs from all small numbers that a program may choose
    }
    const auto nodes = static_cast<unsigned>(skein_nodes());
    const int here = skein_node(); // the node whose variable it is; the thread may be elsewhere when all have come
    skein_array_t values;
    if (int code = skein_array_create_together(&values, key, nodes, nodes, sizeof(T), SKEIN_CYCLIC))
      return code;
    const uint64_t place = number(static_cast<pointer>(skein_array_at(&values, static_cast<size_t>(node))));
    while (skein_node() != here)
      if (int code = skein_push_self(here))
        return code;
    const uint64_t before = held;
    held = place; // no migration point since the question where this is
    if (before & owner)
      skein_shared_free(reinterpret_cast<pointer>(static_cast<uintptr_t>(before & ~owner)));
    return SKEIN_OK;
  }

  /// Objects made by `new` lie in shared memory of this node, and so do their values.
  static void *operator new(size_t bytes) { return allocate(bytes); }
  static void *operator new[](size_t bytes) { return allocate(bytes); }
  static void *operator new(size_t, void *place) noexcept { return place; }
  static void operator delete(void *block) { release(block); }
  static void operator delete[](void *block) { release(block); }

private:
  static constexpr uint64_t owner = UINT64_C(1) << 63; // no address has this bit

  static uint64_t number(pointer address) { return reinterpret_cast<uintptr_t>(address); }
  /// Whether this object lies in shared memory, whose range begins at 2^45.
  bool is_value() const { return reinterpret_cast<uintptr_t>(this) >> 45 == 1; }

  pointer at() const {
    const auto self = reinterpret_cast<uintptr_t>(this);
    if (is_value())
      return reinterpret_cast<pointer>(self);
    if (!held)
      own();
    return reinterpret_cast<pointer>(static_cast<uintptr_t>(held & ~owner));
  }
  void own() const {
    auto made = static_cast<pointer>(skein_shared_alloc(skein_node(), sizeof(T)));
    if (!made)
      throw std::bad_alloc();
    held = number(made) | owner;
  }
  static void *allocate(size_t bytes) {
    const auto block = reinterpret_cast<uintptr_t>(skein_shared_alloc(skein_node(), bytes));
    if (!block)
      throw std::bad_alloc();
    return reinterpret_cast<void *>(block);
  }
  static void release(void *block) {
    const auto address = reinterpret_cast<uintptr_t>(block);
    skein_shared_free(reinterpret_cast<skein_shared void *>(address));
  }

  union {
    mutable uint64_t held; // of an object elsewhere
    alignas(T) unsigned char value[sizeof(T)];
  };
};

/// A distributed array of `count` zeroed elements (skein/shared_array.h says how blocks lie). Copies name the same
/// array; the one that made it must free it.
template <typename T> class array {
  static_assert(std::is_trivially_copyable_v<T>, "values in shared memory are copied byte by byte");

public:
  using value_type = T;
  using pointer = T skein_shared *;

  /// Stands for an element, as the references of std::vector<bool> do.
  class reference {
  public:
    explicit reference(pointer address) : address(address) {}
    reference(const reference &) = default;
    operator T() const { return get(address); }
    const reference &operator=(const T &value) const {
      set(address, value);
      return *this;
    }
    const reference &operator=(const reference &other) const { return *this = static_cast<T>(other); }
    template <typename U> const reference &operator+=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) + by);
    }
    template <typename U> const reference &operator-=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) - by);
    }
    template <typename U> const reference &operator*=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) * by);
    }
    template <typename U> const reference &operator/=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) / by);
    }
    template <typename U> const reference &operator%=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) % by);
    }
    template <typename U> const reference &operator&=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) & by);
    }
    template <typename U> const reference &operator|=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) | by);
    }
    template <typename U> const reference &operator^=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) ^ by);
    }
    template <typename U> const reference &operator<<=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) << by);
    }
    template <typename U> const reference &operator>>=(const U &by) const {
      return *this = static_cast<T>(static_cast<T>(*this) >> by);
    }
    const reference &operator++() const { return *this += 1; }
    const reference &operator--() const { return *this -= 1; }
    T operator++(int) const {
      const T before = *this;
      *this += 1;
      return before;
    }
    T operator--(int) const {
      const T before = *this;
      *this -= 1;
      return before;
    }
    pointer operator&() const { return address; }
    friend void swap(reference a, reference b) {
      T before = a;
      a = static_cast<T>(b);
      b = before;
    }

  private:
    pointer address;
  };

  class iterator {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T skein_shared *;
    using reference = typename array::reference;

    iterator() = default;
    iterator(const skein_array_t &of, size_t index) : of(of), index(index) {}
    reference operator*() const { return (*this)[0]; }
    reference operator[](difference_type n) const {
      return reference(static_cast<pointer>(skein_array_at(&of, index + static_cast<size_t>(n))));
    }
    /// The node where the element lies.
    int node() const { return skein_array_node(&of, index); }
    iterator &operator+=(difference_type n) {
      index += static_cast<size_t>(n);
      return *this;
    }
    iterator &operator-=(difference_type n) { return *this += -n; }
    iterator &operator++() { return *this += 1; }
    iterator &operator--() { return *this += -1; }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    iterator operator--(int) {
      iterator before = *this;
      --*this;
      return before;
    }
    friend iterator operator+(iterator i, difference_type n) { return i += n; }
    friend iterator operator+(difference_type n, iterator i) { return i += n; }
    friend iterator operator-(iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const iterator &a, const iterator &b) {
      return static_cast<difference_type>(a.index - b.index);
    }
    friend bool operator==(const iterator &a, const iterator &b) { return a.index == b.index; }
    friend bool operator!=(const iterator &a, const iterator &b) { return a.index != b.index; }
    friend bool operator<(const iterator &a, const iterator &b) { return a.index < b.index; }
    friend bool operator>(const iterator &a, const iterator &b) { return a.index > b.index; }
    friend bool operator<=(const iterator &a, const iterator &b) { return a.index <= b.index; }
    friend bool operator>=(const iterator &a, const iterator &b) { return a.index >= b.index; }

  private:
    skein_array_t of{};
    size_t index = 0;
  };

  /// Throws std::bad_alloc if a node has no room, or is dead. Blocks, may migrate.
  explicit array(size_t count, size_t block = SKEIN_BLOCKED) {
    if (skein_array_create(&all, count, sizeof(T), block))
      throw std::bad_alloc();
    made = true;
  }
  array(const array &other) : all(other.all), made(false) {}
  array &operator=(const array &) = delete;
  ~array() {
    if (made)
      skein_array_free(&all);
  }

  size_t size() const { return all.count; }
  reference operator[](size_t i) const { return reference(static_cast<pointer>(skein_array_at(&all, i))); }
  iterator begin() const { return iterator(all, 0); }
  iterator end() const { return iterator(all, all.count); }
  std::reverse_iterator<iterator> rbegin() const { return std::reverse_iterator<iterator>(end()); }
  std::reverse_iterator<iterator> rend() const { return std::reverse_iterator<iterator>(begin()); }
  /// The node of element i, and the descriptor for the functions of C.
  int node(size_t i) const { return skein_array_node(&all, i); }
  const skein_array_t &descriptor() const { return all; }

private:
  skein_array_t all;
  bool made;
};

} // namespace skein

using shared_char = skein::shared<char>;
using shared_int = skein::shared<int>;
using shared_long = skein::shared<long>;
using shared_float = skein::shared<float>;
using shared_double = skein::shared<double>;

#endif
