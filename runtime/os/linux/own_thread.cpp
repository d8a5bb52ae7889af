// Starting the runtime's own kernel threads; see own_thread.h. They inherit the mask of whoever starts them.
#include "os/linux/own_thread.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace skein {

namespace {

std::atomic<unsigned> running{0};

struct Begin {
  void *(*function)(void *);
  void *argument;
};

void *run(void *memory) {
  const Begin begin = *static_cast<Begin *>(memory);
  free(memory);
  void *result = begin.function(begin.argument);
  running.fetch_sub(1, std::memory_order_relaxed);
  return result;
}

} // namespace

unsigned own_threads_running() { return running.load(std::memory_order_relaxed); }
void own_threads_forget() { running.store(0, std::memory_order_relaxed); }

int own_thread_start(pthread_t &thread, void *(*function)(void *), void *argument) {
  auto *begin = static_cast<Begin *>(malloc(sizeof(Begin)));
  if (!begin)
    return ENOMEM;
  *begin = {function, argument};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  running.fetch_add(1, std::memory_order_relaxed);
  const int error = pthread_create(&thread, nullptr, run, begin);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error) {
    running.fetch_sub(1, std::memory_order_relaxed);
    free(begin);
  }
  return error;
}

} // namespace skein
