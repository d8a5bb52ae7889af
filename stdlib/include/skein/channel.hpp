/* Channels of one type, for C++ (<skein/channel.h> tells how channels behave):
 *
 *     skein::channel<order> orders(16);
 *     skein::thread seller([=] { orders.send({.number = 1}); orders.close(); });
 *     for (const order &next : orders)            // until it is closed
 *       serve(next);
 *
 *     switch (skein::first_of(orders.receives(next), stop.receives(nothing), skein::after(1ms)).index) { case 0: …
 *
 * A channel is a number: it is copied, captured and sent as one, and all copies are the same channel, which lives until
 * `free`. Its messages are trivially copyable. Errors are exceptions of type skein::error; without -fexceptions they
 * end the program with the text. That the channel is closed, or the time over, is no error. */
#ifndef SKEIN_CHANNEL_HPP
#define SKEIN_CHANNEL_HPP

#ifndef __cplusplus
#error "<skein/channel.hpp> is for C++; C has <skein/channel.h>"
#endif

#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <skein/channel.h>
#include <skein/thread.hpp>
#include <type_traits>

namespace skein {

/// What has happened of several alternatives: which one, counted from 0, and whether its channel was closed instead.
struct choice {
  int index;
  bool closed;
};

template <class T> class channel {
  static_assert(std::is_trivially_copyable_v<T>, "messages are copied as bytes: T must be trivially copyable");

public:
  /// A new channel, on this node unless another is given.
  explicit channel(std::size_t capacity = 0, int node = -1) : handle_(skein_channel_create_on(node, capacity)) {
    if (!handle_)
      closures::fail(SKEIN_EMEMORY);
  }
  /// The channel that has this number.
  static channel of(skein_channel_t handle) noexcept { return channel(handle, known()); }
  skein_channel_t handle() const noexcept { return handle_; }

  /// Blocks. False: the channel is closed.
  bool send(const T &message) const { return sent(skein_channel_send(handle_, &message, sizeof message)); }
  /// The same for some time at most. False: the channel is closed, or the time is over.
  template <class Rep, class Period> bool send_for(const T &message, std::chrono::duration<Rep, Period> most) const {
    const int code = skein_channel_timedsend_ns(handle_, &message, sizeof message, nanoseconds(most));
    return code != SKEIN_ETIME && sent(code);
  }

  /// Blocks. Nothing: the channel is closed, and empty.
  std::optional<T> receive() const { return received(UINT64_MAX); }
  /// The same for some time at most.
  template <class Rep, class Period> std::optional<T> receive_for(std::chrono::duration<Rep, Period> most) const {
    return received(nanoseconds(most));
  }

  void close() const { check(skein_channel_close(handle_)); }
  void free() const { check(skein_channel_free(handle_)); }

  /// For first_of. The variable stays the caller's.
  skein_alternative receives(T &to) const { return {SKEIN_ALT_RECEIVE, handle_, &to, sizeof to, 0, 0, 0}; }
  skein_alternative sends(T &from) const { return {SKEIN_ALT_SEND, handle_, &from, sizeof from, 0, 0, 0}; }

  /// For loops over all messages, until the channel is closed.
  class iterator {
  public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit iterator(const channel &from) : from_(&from), message_(from.receive()) {}
    const T &operator*() const { return *message_; }
    iterator &operator++() {
      message_ = from_->receive();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator &at, std::default_sentinel_t) { return !at.message_; }

  private:
    const channel *from_;
    std::optional<T> message_;
  };
  iterator begin() const { return iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

private:
  struct known {};
  channel(skein_channel_t handle, known) noexcept : handle_(handle) {}

  template <class Duration> static std::uint64_t nanoseconds(Duration most) {
    const auto count = std::chrono::duration_cast<std::chrono::nanoseconds>(most).count();
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
  }
  static void check(int code) {
    if (code != SKEIN_OK)
      closures::fail(code);
  }
  static bool sent(int code) {
    if (code != SKEIN_ECLOSED)
      check(code);
    return code == SKEIN_OK;
  }
  std::optional<T> received(std::uint64_t most_ns) const {
    T message;
    std::size_t got = 0;
    const int code = skein_channel_timedreceive_ns(handle_, &message, sizeof message, &got, most_ns);
    if (code == SKEIN_ECLOSED || code == SKEIN_ETIME)
      return std::nullopt;
    check(code);
    if (got != sizeof message)
      closures::fail(SKEIN_EMEMORY, "the message is not one of this type: its size is another");
    return message;
  }

  skein_channel_t handle_;
};

/// An alternative that happens when the time is over.
template <class Rep, class Period> skein_alternative after(std::chrono::duration<Rep, Period> time) {
  const auto count = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  return {SKEIN_ALT_AFTER, 0, nullptr, 0, count > 0 ? static_cast<std::uint64_t>(count) : 0, 0, 0};
}
/// One that happens if no other can at once.
inline skein_alternative otherwise() { return SKEIN_ELSE; }
/// One that happens only if `guard` is true.
inline skein_alternative when(bool guard, skein_alternative then) {
  if (!guard)
    then.kind = SKEIN_ALT_NEVER;
  return then;
}

namespace closures {
template <class... Alternatives> choice choose(int (*function)(skein_alternative *, int), Alternatives... all) {
  skein_alternative cases[] = {all...};
  const int index = function(cases, sizeof...(all));
  if (index < 0)
    fail(-index);
  if (const int code = cases[index].code; code != SKEIN_OK && code != SKEIN_ECLOSED)
    fail(code);
  return {index, cases[index].code == SKEIN_ECLOSED};
}
} // namespace closures

/// Waits for the first of several alternatives; any of those that can happen at once.
template <class... Alternatives> choice first_of(Alternatives... all) { return closures::choose(skein_alt, all...); }
/// The same; the first of those that can happen at once.
template <class... Alternatives> choice first_in_order(Alternatives... all) {
  return closures::choose(skein_alt_ordered, all...);
}

} // namespace skein

#endif
