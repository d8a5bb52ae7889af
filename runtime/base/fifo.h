// Singly linked intrusive queue: first come, first served. The element carries the link, a member `next`, so an
// element never has to be allocated, and it is in one queue at most. A queue may be copied, which moves nothing: both
// then name the same elements, and only one of them may be used. For removal from the middle there is List (list.h).
#ifndef SKEIN_BASE_FIFO_H
#define SKEIN_BASE_FIFO_H

namespace skein {

template <class T> class Fifo {
public:
  bool empty() const { return !first_; }
  T *first() const { return first_; }
  void push(T *element) {
    element->next = nullptr;
    (first_ ? last_->next : first_) = element;
    last_ = element;
  }
  /// Null if the queue is empty.
  T *pop() {
    T *element = first_;
    if (element)
      first_ = element->next;
    return element;
  }
  /// Takes all and leaves the queue empty. The elements stay linked by `next`; null if there was none.
  T *pop_all() {
    T *elements = first_;
    first_ = nullptr;
    return elements;
  }

private:
  T *first_ = nullptr, *last_ = nullptr;
};

} // namespace skein

#endif
