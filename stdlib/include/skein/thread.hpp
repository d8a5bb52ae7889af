/* Threads that begin in a closure, for C++: skein::thread as std::jthread, skein::async as std::async.
 *
 *     skein::thread filler([=] { fill(block, count); }); // ends before its object does
 *     auto sum = skein::async([](long n) { return sum_to(n); }, 1000);
 *     printf("%ld\n", sum.get());
 *
 * What the closure captured by value, and the arguments after it, belong to the new thread. A closure that is trivially
 * copyable, has at most 12 words, and whose types say of each word whether it is a pointer, travels as words: the
 * thread can be stolen before it begins, and costs what skein_spawn costs. Any other closure (a std::string in it, an
 * array of char) must be copyable: the new thread begins on the node of its creator, which waits until the copy has
 * been made. If the second copy throws, the program ends, as by any exception that leaves a thread's function.
 *
 * A variable captured by reference stays on its thread's stack: neither of the two threads can move while it may be
 * used. The compiler warns (-Wskein-local-address).
 *
 * Errors are exceptions of type skein::error; without -fexceptions they end the program with the text. An object of
 * these classes is a local variable, or a member of one; it moves along with its thread, and its own thread uses it. */
#ifndef SKEIN_THREAD_HPP
#define SKEIN_THREAD_HPP

#ifndef __cplusplus
#error "<skein/thread.hpp> is for C++; C starts a thread with skein_spawn of <skein/skein.h>"
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <skein/shared.h>
#include <skein/skein.h>
#include <stdexcept>
#include <type_traits>
#include <utility>

extern "C" {
/* What the calls of skein_spawn and skein_spawn_with become. `count_and_classes`: how many words, above how they
 * travel. */
SKEIN_NOMIGRATE skein_thread_t __skein_spawn(void (*function)(void), const uint64_t *words, uint32_t count,
                                             uint32_t classes) noexcept;
skein_thread_t __skein_spawn_with(const struct skein_attributes *attributes, void (*function)(void),
                                  const uint64_t *words, uint64_t count_and_classes) noexcept;
}

namespace skein {

/// A call of Skein that failed: a code of <skein/skein.h> (SKEIN_EDEAD, …), and why.
class error : public std::runtime_error {
public:
  explicit error(int code, const char *text = skein_error_text()) : std::runtime_error(text), code_(code) {}
  int code() const noexcept { return code_; }

private:
  int code_;
};

namespace closures {

[[noreturn]] inline void fail(int code, const char *text = skein_error_text()) {
#if __cpp_exceptions
  throw error(code, text);
#else
  std::fprintf(stderr, "skein: %s: %s\n", skein_error_name(code), text);
  std::abort();
#endif
}

inline void check(int code) {
  if (code)
    fail(code);
}

template <typename R> constexpr bool is_result() {
  if constexpr (std::is_void_v<R> || std::is_enum_v<R> || std::is_pointer_v<R>)
    return true;
  else
    return (std::is_integral_v<R> || std::is_same_v<R, float> || std::is_same_v<R, double>) && sizeof(R) <= 8;
}

/// A closure as it travels in memory: more than the 16 bytes that would be passed in registers.
template <typename F> struct carried {
  alignas(8) F function;
  uint64_t beyond[2];
};

template <typename R, typename F> R run(carried<F> closure) { return static_cast<R>(closure.function()); }

/// How the words of a closure travel to a thread that begins in `entry`. The compiler puts its answer in the place of
/// the 0 that is written; a 0 that remains says: not as words. (No constexpr: the value would be taken before that.)
inline uint64_t skein_closure_words_(const void * /*closure*/, void (* /*entry*/)(void), uint64_t answer) {
  return answer;
}

/// A closure that the new thread has to copy, in memory of its creator.
template <typename F> struct handed {
  F function;
  skein_semaphore_t taken;
};

template <typename R, typename F> R take(const handed<F> *from) {
  F function(from->function);
  skein_semaphore_signal(from->taken); // `from` is gone from here on
  return static_cast<R>(function());
}

/// Returns when the new thread has its copy. Meanwhile its creator may not leave with what is being copied.
template <typename R, typename F>
SKEIN_UNTRACKED skein_thread_t hand_over(const skein_attributes *attributes, F function) {
  static_assert(std::is_copy_constructible_v<F>,
                "a closure that is not trivially copyable is copied by the new thread: capture copyable objects");
  if (attributes && attributes->node && attributes->node != SKEIN_ON(skein_node()))
    fail(SKEIN_EPOINTER, "skein::thread: a closure that does not travel as words begins on the node of its creator; "
                         "capture numbers and pointers only, or let the thread move itself");
  const std::unique_ptr<handed<F>> closure(new handed<F>{std::move(function), skein_semaphore_create(0)});
  if (!closure->taken)
    fail(SKEIN_EMEMORY);
  skein_thread_t id = 0;
  SKEIN_PINNED {
    id = attributes ? skein_spawn_with(attributes, (take<R, F>), closure.get())
                    : skein_spawn((take<R, F>), closure.get());
    if (id)
      skein_semaphore_wait(closure->taken);
  }
  skein_semaphore_free(closure->taken);
  return id;
}

/// A new thread that begins in function(); it returns R.
template <typename R, typename F> skein_thread_t start(const skein_attributes *attributes, F function) {
  skein_thread_t id = 0;
  if constexpr (std::is_trivially_copyable_v<F>) {
    const auto entry = reinterpret_cast<void (*)(void)>(&run<R, F>);
    carried<F> closure{function, {}};
    // The function is written once more: the answer has the class of its result.
    const uint64_t words = skein_closure_words_(&closure, reinterpret_cast<void (*)(void)>(&run<R, F>), 0);
    const auto *first = reinterpret_cast<const uint64_t *>(&closure);
    if (!words)
      id = hand_over<R>(attributes, std::move(function));
    else if (attributes)
      id = __skein_spawn_with(attributes, entry, first, words);
    else
      id = __skein_spawn(entry, first, static_cast<uint32_t>(words >> 32), static_cast<uint32_t>(words));
  } else {
    id = hand_over<R>(attributes, std::move(function));
  }
  if (!id)
    fail(SKEIN_ETHREAD);
  return id;
}

/// What a thread begins in that calls f(arguments…), all of them its own copies.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++20-extensions"
template <typename F, typename... A> auto bound(F &&function, A &&...arguments) {
  static_assert(std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...>,
                "a new thread calls f(arguments…) with its own copies: this call does not fit");
  if constexpr (sizeof...(A) == 0)
    return std::decay_t<F>(std::forward<F>(function));
  else
    return [function = std::decay_t<F>(std::forward<F>(function)),
            ... arguments = std::decay_t<A>(std::forward<A>(arguments))]() mutable -> decltype(auto) {
      return std::invoke(std::move(function), std::move(arguments)...);
    };
}
#pragma clang diagnostic pop

/// A new thread that calls f(arguments…); it returns R.
template <typename R, typename F, typename... A>
skein_thread_t begin(const skein_attributes *attributes, F &&function, A &&...arguments) {
  return start<R>(attributes, bound(std::forward<F>(function), std::forward<A>(arguments)...));
}

template <typename F, typename... A> using result_of = std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>;
template <typename F> inline constexpr bool is_attributes = std::is_same_v<std::decay_t<F>, skein_attributes>;

/// A thread, or none, that is waited for at the latest when its owner ends.
class owner {
public:
  owner() noexcept = default;
  explicit owner(skein_thread_t thread) noexcept : id_(thread) {}
  owner(owner &&from) noexcept : id_(from.release()) {}
  owner &operator=(owner &&from) {
    if (this != &from) {
      wait();
      id_ = from.release();
    }
    return *this;
  }
  ~owner() noexcept(false) { wait(); } // in which skein_cancel may end the thread that waits

  /// Names the thread on every node; 0 if there is none.
  skein_thread_t get_id() const noexcept { return id_; }

protected:
  /// The thread, for which nobody waits any more.
  skein_thread_t release() noexcept { return std::exchange(id_, 0); }

private:
  void wait() {
    if (id_)
      skein_join(release());
  }

  skein_thread_t id_ = 0;
};

} // namespace closures

/// A thread, which is waited for at the latest when its object ends.
class thread : public closures::owner {
public:
  using id = skein_thread_t;

  thread() noexcept = default;
  /// Starts f(arguments…), whose result nobody gets. Blocks and may migrate as skein_spawn may, and until a closure has
  /// been copied.
  template <typename F, typename... A,
            typename = std::enable_if_t<!closures::is_attributes<F> && !std::is_same_v<std::decay_t<F>, thread>>>
  explicit thread(F &&function, A &&...arguments)
      : owner(closures::begin<void>(nullptr, std::forward<F>(function), std::forward<A>(arguments)...)) {}
  /// The same with attributes: name, node, bundle, …
  template <typename F, typename... A>
  explicit thread(const skein_attributes &attributes, F &&function, A &&...arguments)
      : owner(closures::begin<void>(&attributes, std::forward<F>(function), std::forward<A>(arguments)...)) {}

  /// Whether it stands for a thread that has not been waited for.
  bool joinable() const noexcept { return get_id() != 0; }
  /// Waits until it has ended, wherever either of the two is. Blocks, may migrate. Throws SKEIN_EDEAD: it was lost with
  /// its node.
  void join() { closures::check(skein_join(release())); }
  /// Lets it go on by itself.
  void detach() noexcept { release(); }
};

/// The result of a thread: a number, an enumerator or a pointer that means the same on all nodes, or nothing.
template <typename R> class future : public closures::owner {
  static_assert(
      closures::is_result<R>(),
      "a thread returns an integer, a pointer, a float or a double; larger results go to skein_shared memory");

public:
  using owner::owner;

  bool valid() const noexcept { return get_id() != 0; }
  /// Waits for the result and takes it; once. Blocks, may migrate. Throws SKEIN_EDEAD: the thread was lost with its
  /// node.
  R get() {
    const skein_thread_t thread = release();
    if constexpr (std::is_void_v<R>) {
      closures::check(skein_join(thread));
    } else {
      R result{};
      closures::check(skein_join_result(thread, &result));
      return result;
    }
  }
};

/// Starts f(arguments…) as a thread, whose result the future gets.
template <typename F, typename... A, typename = std::enable_if_t<!closures::is_attributes<F>>>
auto async(F &&function, A &&...arguments) {
  using R = closures::result_of<F, A...>;
  return future<R>(closures::begin<R>(nullptr, std::forward<F>(function), std::forward<A>(arguments)...));
}
template <typename F, typename... A> auto async(const skein_attributes &attributes, F &&function, A &&...arguments) {
  using R = closures::result_of<F, A...>;
  return future<R>(closures::begin<R>(&attributes, std::forward<F>(function), std::forward<A>(arguments)...));
}

} // namespace skein
#endif
