// Kernel threads of the program; see kernel_threads.h.
#include "private/library/kernel_threads.h"

#include "base/once.h"
#include "private/globals/globals.h"
#include "thread/overflow.h"
#include "thread/thread.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <new>
#include <pthread.h>

extern "C" {
/// Weak: unit tests link the runtime without --wrap.
__attribute__((weak)) int __real_pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                                                void *(*function)(void *), void *argument);
/// Not in a static program, which has no libraries that could call the other.
__attribute__((weak)) int skein_next_pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                                                    void *(*function)(void *), void *argument);
}

namespace skein {

namespace {

/// Stands for main, which is not there yet, as the host of kernel threads that the program's constructors start.
Private before_main;
bool constructors_ran;
std::atomic<bool> any_ever{false};

struct Begin {
  void *(*function)(void *);
  void *argument;
  Private *host;
  uintptr_t segment;
  int rounds; // of destructors, at the end
};

__thread Begin *mine;
pthread_key_t at_end;
Once once;

/// The destructors of other keys may still use what the host owns, so this one asks for another round until the last.
void end_kernel_thread(void *value) {
  auto *begun = static_cast<Begin *>(value);
  if (++begun->rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(at_end, begun) == 0)
    return;
  mine = nullptr;
  globals_kernel_thread_end();
  begun->host->kernel_threads.fetch_sub(1, std::memory_order_release); // pairs with kernel_threads_live
  std::free(begun);
}

void make_key() {
  if (pthread_key_create(&at_end, end_kernel_thread) != 0)
    std::abort();
}

void *begin_kernel_thread(void *argument) {
  auto *begun = static_cast<Begin *>(argument);
  mine = begun;
  pthread_setspecific(at_end, begun);
  if (begun->segment)
    segment_load(begun->segment);
  overflow_unblock();
  return begun->function(begun->argument);
}

int create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
  return (skein_next_pthread_create ? skein_next_pthread_create : __real_pthread_create)(handle, attributes, function,
                                                                                         argument);
}

int create_hosted(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument,
                  Private *host, uintptr_t segment) {
  once(make_key);
  auto *begun = static_cast<Begin *>(std::malloc(sizeof(Begin)));
  if (!begun)
    return EAGAIN;
  *begun = {function, argument, host, segment, 0};
  any_ever.store(true, std::memory_order_relaxed);
  host->kernel_threads.fetch_add(1, std::memory_order_relaxed);
  const int error = create(handle, attributes, begin_kernel_thread, begun);
  if (error) {
    host->kernel_threads.fetch_sub(1, std::memory_order_relaxed);
    std::free(begun);
  }
  return error;
}

} // namespace

Private *kernel_thread_host() { return mine ? mine->host : nullptr; }

bool kernel_threads_live(const Thread &thread) {
  if ((thread.owned && thread.owned->kernel_threads.load(std::memory_order_acquire) != 0) ||
      (thread.id == main_id && before_main.kernel_threads.load(std::memory_order_acquire) != 0))
    return true;
  globals_unshare(thread);
  return false;
}

bool kernel_threads_ever() { return any_ever.load(std::memory_order_relaxed); }

void kernel_threads_start() { constructors_ran = true; }

void kernel_threads_after_fork(Thread &self) {
  before_main.kernel_threads.store(0, std::memory_order_relaxed);
  if (self.owned)
    self.owned->kernel_threads.store(0, std::memory_order_relaxed);
}

} // namespace skein

using namespace skein;

extern "C" int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *),
                                     void *argument) {
  Processor *processor = skein_processor;
  if (!processor) {
    if (mine)
      return create_hosted(handle, attributes, function, argument, mine->host, mine->segment);
    uintptr_t segment;
    if (constructors_ran)
      return create(handle, attributes, function, argument);
    if (!globals_for_kernel_thread(nullptr, segment))
      return EAGAIN;
    return create_hosted(handle, attributes, function, argument, &before_main, segment);
  }
  Thread *self = processor->current;
  if (!self || on_workers_stack(*processor))
    return create(handle, attributes, function, argument);
  uintptr_t segment;
  if (!globals_for_kernel_thread(self, segment))
    return EAGAIN;
  Private *host = private_record(*self);
  return host ? create_hosted(handle, attributes, function, argument, host, segment) : EAGAIN;
}
