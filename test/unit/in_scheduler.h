// Runs a test's body as Skein's main thread, on a chosen number of workers, as often as wanted in one process.
#ifndef SKEIN_TEST_UNIT_IN_SCHEDULER_H
#define SKEIN_TEST_UNIT_IN_SCHEDULER_H

#include "abi/entry_points.h"
#include "base/knobs.h"
#include "sched/sched.h"
#include "sched/worker.h"
#include "sync/join.h"

#include <cstring>
#include <functional>
#include <skein/skein.h>
#include <type_traits>

namespace skein::test {

inline std::function<int()> body;

/// Returns the result of sched_run, which is that of the body.
inline int in_scheduler_returning(unsigned workers, std::function<int()> function) {
  static bool started = false;
  knobs.workers = workers;
  if (!started) {
    started = true;
    knobs.stack_max = 1 << 20;
    knobs.workers = 64; // bundles make room for so many workers
    sched_start();
    knobs.workers = workers;
    join_start();
  }
  workers_setup();
  body = std::move(function);
  return sched_run(main_thread([](int, char **, char **) { return body(); }, 0, nullptr, nullptr));
}

inline void in_scheduler(unsigned workers, std::function<void()> function) {
  in_scheduler_returning(workers, [&] {
    function();
    return 0;
  });
}

template <class T> uint64_t word_of(T value) {
  uint64_t word = 0;
  if constexpr (std::is_integral_v<T>)
    word = static_cast<uint64_t>(static_cast<int64_t>(value));
  else
    std::memcpy(&word, &value, sizeof value);
  return word;
}

template <class T>
constexpr uint32_t class_of = std::is_same_v<T, double>  ? SKEIN_ARGUMENT_DOUBLE
                              : std::is_same_v<T, float> ? SKEIN_ARGUMENT_FLOAT
                              : std::is_pointer_v<T>     ? SKEIN_ARGUMENT_POINTER
                                                         : SKEIN_ARGUMENT_INTEGER;

/// Does what skeincc makes of skein_spawn_with.
template <class... P>
uint64_t spawn_with(const skein_attributes &attributes, void (*function)(P...), std::type_identity_t<P>... arguments) {
  uint64_t words[] = {word_of(arguments)..., 0};
  uint32_t classes = 0, i = 0;
  ((classes |= class_of<P> << 2 * i++), ...);
  return __skein_spawn_with(&attributes, reinterpret_cast<void (*)(void)>(function), words,
                            static_cast<uint64_t>(sizeof...(P)) << 32 | classes);
}

/// Does what skeincc makes of skein_spawn.
template <class... P> uint64_t spawn(void (*function)(P...), std::type_identity_t<P>... arguments) {
  uint64_t words[] = {word_of(arguments)..., 0};
  uint32_t classes = 0, i = 0;
  ((classes |= class_of<P> << 2 * i++), ...);
  return __skein_spawn(reinterpret_cast<void (*)(void)>(function), words, sizeof...(P), classes);
}

} // namespace skein::test

#endif
