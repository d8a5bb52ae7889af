// A signal that waits carries an address of the stack.
// changes: process
#include "words.h"
#include <signal.h>
#include <unistd.h>

static NOINLINE long use(long *p) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, 0);
  sigqueue(getpid(), SIGUSR1, (union sigval){.sival_ptr = p});
  hop();
  siginfo_t info;
  if (sigwaitinfo(&set, &info) != SIGUSR1)
    return -1;
  hop();
  return *(long *)info.si_value.sival_ptr;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
