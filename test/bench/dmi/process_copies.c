/* Copies between two processes as the kernel offers them: the yardsticks of Figures 7 and 8 of *Half-process*.
 *
 *   process_copies READER-CPU WRITER-CPU ROUNDS BYTES...        prints lines as copies.h says
 *
 *   socket       the writer sends from its own memory, over TCP by the loopback device
 *   pipe         the same by a pipe
 *   shared       the data lie in memory that both have mapped, where the reader sums them up
 *   vm-readv     process_vm_readv from the writer's own memory (the paper's dmread)
 *   double-copy  the writer copies them to memory that both have mapped, and then the reader from there
 *
 * The reader is the writer's parent, which may read its memory where others may not. They tell each other by words in
 * shared memory what to do next. Who waits for one looks for it some 100 microseconds, and then gives its core away. */
#include "copies.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum way { by_socket, by_pipe, by_shared, by_vm_readv, by_double_copy, ways };
static const char *const names[ways] = {"socket", "pipe", "shared", "vm-readv", "double-copy"};

/* The reader raises `asked` for new data, and `begun` for their transfer, which the writer answers with the same. */
struct control {
  _Atomic long asked, written, begun, copied;
  _Atomic size_t bytes;
  _Atomic int way;
};

static struct control *control;
static uint64_t *common, *own, *target; /* mapped by both; the writer's; the reader's */
static int sockets[2], pipes[2];        /* each: the reader's end, the writer's */

static void stop(const char *what) {
  perror(what);
  exit(1);
}

static void *map(size_t bytes, int sharing) {
  void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    stop("process_copies: mmap");
  return block;
}

static void wait_for(_Atomic long *word, long value) {
  for (int looks = 0; atomic_load_explicit(word, memory_order_acquire) < value; looks++)
    if (looks > 5000)
      sched_yield();
    else
      __builtin_ia32_pause();
}

static void run_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set))
    stop("process_copies: sched_setaffinity");
}

static void connect_sockets(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t bytes = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1) ||
      getsockname(listener, (struct sockaddr *)&address, &bytes))
    stop("process_copies: listen");
  sockets[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(sockets[1], (struct sockaddr *)&address, sizeof address) ||
      (sockets[0] = accept(listener, NULL, NULL)) < 0)
    stop("process_copies: connect");
  setsockopt(sockets[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  close(listener);
}

static void send_all(int fd, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t sent = write(fd, (char *)own + at, bytes - at);
    if (sent <= 0)
      stop("process_copies: write");
    at += (size_t)sent;
  }
}

static void receive_all(int fd, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t got = read(fd, (char *)target + at, bytes - at);
    if (got <= 0)
      stop("process_copies: read");
    at += (size_t)got;
  }
}

static void writer(int cpu) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  run_on(cpu);
  for (long round = 1;; round++) {
    wait_for(&control->asked, round);
    const size_t bytes = control->bytes;
    const enum way way = (enum way)control->way;
    fill(way == by_shared ? common : own, bytes, (uint64_t)round);
    atomic_store_explicit(&control->written, round, memory_order_release);
    wait_for(&control->begun, round);
    if (way == by_socket || way == by_pipe)
      send_all(way == by_socket ? sockets[1] : pipes[1], bytes);
    else if (way == by_double_copy)
      memcpy(common, own, bytes);
    atomic_store_explicit(&control->copied, round, memory_order_release);
  }
}

static uint64_t read_by(enum way way, pid_t process, size_t bytes, long round) {
  switch (way) {
  case by_shared:
    return sum_of(common, bytes);
  case by_double_copy:
    wait_for(&control->copied, round);
    memcpy(target, common, bytes);
    break;
  case by_vm_readv: {
    struct iovec here = {target, bytes}, there = {own, bytes};
    if (process_vm_readv(process, &here, 1, &there, 1, 0) != (ssize_t)bytes)
      stop("process_copies: process_vm_readv");
    break;
  }
  default:
    receive_all(way == by_socket ? sockets[0] : pipes[0], bytes);
  }
  return sum_of(target, bytes);
}

static void measure(enum way way, pid_t process, size_t bytes, int rounds) {
  static long round;
  double *times = malloc((size_t)rounds * sizeof *times);
  for (int i = -1; i < rounds; i++) { /* the first touches all pages */
    control->bytes = bytes;
    control->way = (int)way;
    atomic_store_explicit(&control->asked, ++round, memory_order_release);
    wait_for(&control->written, round);
    const double begin = now_ns();
    atomic_store_explicit(&control->begun, round, memory_order_release);
    const uint64_t sum = read_by(way, process, bytes, round);
    if (i >= 0)
      times[i] = now_ns() - begin;
    if (sum != sum_expected(bytes, (uint64_t)round)) {
      fprintf(stderr, "process_copies: %zu bytes by %s are wrong\n", bytes, names[way]);
      exit(1);
    }
    wait_for(&control->copied, round);
  }
  print_decile(names[way], bytes, times, rounds);
  free(times);
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: process_copies READER-CPU WRITER-CPU ROUNDS BYTES...\n");
    return 2;
  }
  size_t most = 0;
  for (int i = 4; i < argc; i++)
    most = (size_t)atol(argv[i]) > most ? (size_t)atol(argv[i]) : most;
  control = map(sizeof *control, MAP_SHARED);
  common = map(most, MAP_SHARED);
  own = map(most, MAP_PRIVATE);
  target = map(most, MAP_PRIVATE);
  connect_sockets();
  if (pipe(pipes))
    stop("process_copies: pipe");
  const pid_t process = fork();
  if (process < 0)
    stop("process_copies: fork");
  if (!process)
    writer(atoi(argv[2]));
  run_on(atoi(argv[1]));
  for (int i = 4; i < argc; i++)
    for (enum way way = 0; way < ways; way++)
      measure(way, process, (size_t)atol(argv[i]), rounds_of((size_t)atol(argv[i]), atoi(argv[3])));
  kill(process, SIGKILL);
  waitpid(process, NULL, 0);
  return 0;
}
