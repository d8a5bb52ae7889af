// Starting the runtime's own kernel threads; see own_thread.h. They inherit the mask of whoever starts them.
#include "os/linux/own_thread.h"

#include <csignal>

namespace skein {

int own_thread_start(pthread_t &thread, void *(*function)(void *), void *argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&thread, nullptr, function, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

} // namespace skein
