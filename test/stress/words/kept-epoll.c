// The kernel keeps an address of the stack as the data of an event.
// changes: process
#include "words.h"
#include <sys/epoll.h>
#include <unistd.h>

static NOINLINE long use(long *p) {
  int ends[2], queue = epoll_create1(0);
  if (queue < 0 || pipe(ends))
    return -1;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = p}, seen;
  epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event);
  hop();
  if (write(ends[1], "x", 1) != 1 || epoll_wait(queue, &seen, 1, -1) != 1)
    return -2;
  hop();
  long result = *(long *)seen.data.ptr;
  close(queue), close(ends[0]), close(ends[1]);
  return result;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
