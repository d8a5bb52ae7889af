// Doubly linked intrusive list: the element carries the link, so putting a thread in a queue never allocates.
//
// An element is in at most one list per link. A link that is in no list has `next == nullptr`, which `linked` tells.
// The list is a ring through its own head:
//
//     head <-> first <-> … <-> last <-> head
#ifndef SKEIN_BASE_LIST_H
#define SKEIN_BASE_LIST_H

#include "base/assert.h"

#include <cstddef>
#include <cstdint>

namespace skein {

struct Link {
  Link *next = nullptr;
  Link *previous = nullptr;
  bool linked() const { return next != nullptr; }
};

/// A list of T linked through the base class Link (T derives from Link).
template <class T> class List {
public:
  constexpr List() { head_.next = head_.previous = &head_; }
  List(const List &) = delete;
  List &operator=(const List &) = delete;

  bool empty() const { return head_.next == &head_; }
  /// The same for a caller that does not hold the lock which guards the list.
  bool looks_empty() const { return __atomic_load_n(&head_.next, __ATOMIC_RELAXED) == &head_; }
  T *first() const { return empty() ? nullptr : static_cast<T *>(head_.next); }
  T *last() const { return empty() ? nullptr : static_cast<T *>(head_.previous); }
  /// The element after `element`, or null at the end.
  T *after(const T *element) const {
    Link *next = static_cast<const Link *>(element)->next;
    return next == &head_ ? nullptr : static_cast<T *>(next);
  }

  void push_back(T *element) { insert(head_.previous, element, &head_); }
  void push_front(T *element) { insert(&head_, element, head_.next); }

  T *pop_front() {
    T *element = first();
    if (element)
      remove(element);
    return element;
  }
  T *pop_back() {
    T *element = last();
    if (element)
      remove(element);
    return element;
  }

  static void remove(T *element) {
    Link *link = element;
    SKEIN_DEBUG_ASSERT(link->linked(), "element is in no list");
    link->previous->next = link->next;
    link->next->previous = link->previous;
    link->next = link->previous = nullptr;
  }

  /// Appends all of `other` and leaves it empty.
  void take_all(List &other) {
    if (other.empty())
      return;
    Link *first = other.head_.next, *last = other.head_.previous;
    first->previous = head_.previous;
    head_.previous->next = first;
    last->next = &head_;
    head_.previous = last;
    other.head_.next = other.head_.previous = &other.head_;
  }

private:
  static void insert(Link *before, Link *element, Link *after) {
    SKEIN_DEBUG_ASSERT(!element->linked(), "element is in a list already");
    element->previous = before;
    element->next = after;
    before->next = element;
    after->previous = element;
  }

  Link head_;
};

} // namespace skein

#endif
