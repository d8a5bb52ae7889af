// Assertions that stay on in release, since each costs a compare and a predicted branch, and a runtime that goes on
// with broken state gives wrong answers. The message says what to do or at least what was believed.
//
//     SKEIN_ASSERT(thread->state == ThreadState::ready, "thread %llu is in a queue but not ready", thread->id);
//
// SKEIN_DEBUG_ASSERT is for what costs more than that (walks over lists, lock ranks); it vanishes with NDEBUG.
#ifndef SKEIN_BASE_ASSERT_H
#define SKEIN_BASE_ASSERT_H

namespace skein {

[[noreturn]] void assertion_failed(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

} // namespace skein

#define SKEIN_ASSERT(condition, ...)                                                                                   \
  (__builtin_expect(!(condition), 0) ? ::skein::assertion_failed(__FILE__, __LINE__, #condition, __VA_ARGS__) : (void)0)

#ifdef NDEBUG
#define SKEIN_DEBUG_ASSERT(condition, ...) ((void)sizeof(condition))
#else
#define SKEIN_DEBUG_ASSERT(condition, ...) SKEIN_ASSERT(condition, __VA_ARGS__)
#endif

#endif
