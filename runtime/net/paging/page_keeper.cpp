// The keeper: answers questions for pages that threads have left here; see page_channel.h. Between the questions it
// looks through what threads of this node have written.
#include "base/knobs.h"
#include "base/node.h"
#include "base/random.h"
#include "net/paging/page_channel.h"
#include "net/run/leaving.h"
#include "os/linux/futex.h"
#include "os/linux/own_thread.h"
#include "private/paging/paging.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace skein::page_channel {

namespace {

/// A page that is written after it was looked through costs its writer a fault, of a microsecond or so. So a step every
/// now and then takes a tenth of a core at the most, and the next round begins later.
constexpr size_t step_bytes = 4 << 20;
constexpr int step_pause_ms = 10, round_pause_ms = 100;

int listening = -1;
pollfd *all; // the listening socket, then the fetchers
int *peers;  // the node of each; -1: it has not said hello
size_t count;
unsigned char pages[pages_most];
uint32_t random_state; // of delays

void hang_up(size_t at) {
  close(all[at].fd);
  if (peers[at] >= 0)
    paging_peer(peers[at], false);
  count--;
  all[at] = all[count];
  peers[at] = peers[count];
}

void welcome() {
  const int socket = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0)
    return;
  if (!same_user(socket) || count > static_cast<size_t>(node.count)) {
    close(socket);
    return;
  }
  all[count] = {socket, POLLIN, 0};
  peers[count++] = -1;
}

/// For tests (knob net_delay_us): answers come late, too.
void delay() {
  if (knobs.net_delay_us == 0)
    return;
  const uint64_t us = xorshift(random_state) % (knobs.net_delay_us + 1);
  const timespec late = {static_cast<time_t>(us / 1000000), static_cast<long>(us % 1000000) * 1000};
  nanosleep(&late, nullptr);
}

/// False: the fetcher is gone, or asks for what cannot be.
bool serve(size_t at) {
  const int socket = all[at].fd;
  if (peers[at] < 0) {
    PageHello hello;
    if (!receive_whole(socket, &hello, sizeof hello) || !hello_right(hello))
      return false;
    const PageHello ours = hello_of(node.self, static_cast<int>(hello.node));
    peers[at] = static_cast<int>(hello.node);
    paging_peer(peers[at], true);
    return send_whole(socket, &ours, sizeof ours);
  }
  PageQuestion question;
  if (!receive_whole(socket, &question, sizeof question))
    return false;
  delay();
  if (question.bytes == 0) {
    paging_over(peers[at], question.number);
    return true;
  }
  if (question.bytes > pages_most)
    return false;
  const int found = paging_read(peers[at], question.number, question.begin, question.bytes, pages);
  const size_t following = found > 0 ? question.bytes : 0;
  const PageAnswer answer = {question.number, question.begin, question.bytes, found < 0 ? pages_unknown : following};
  if (!send_whole(socket, &answer, sizeof answer) || !send_whole(socket, pages, following))
    return false;
  if (found >= 0)
    paging_sent(question.number, question.begin, question.bytes);
  return true;
}

uint64_t now_ms() { return clock_ns() / 1000000; }

void *keeper_main(void *) {
  pthread_setname_np(pthread_self(), "skein-keeper");
  for (uint64_t step_ms = 0;;) {
    const uint64_t now = now_ms();
    if (now >= step_ms) {
      const bool whole_round = paging_look_through(step_bytes) < step_bytes;
      step_ms = now_ms() + (whole_round ? round_pause_ms : step_pause_ms);
    }
    const uint64_t rest = now_ms();
    if (poll(all, count, rest < step_ms ? static_cast<int>(step_ms - rest) : 0) < 0 && errno != EINTR)
      return nullptr;
    for (size_t i = count; i-- > 1;)
      if (all[i].revents && !serve(i))
        hang_up(i);
    if (all[0].revents)
      welcome();
  }
}

const char *pages_stay(char *words, size_t bytes) {
  const size_t left = paging_kept();
  if (!left)
    return nullptr;
  snprintf(words, bytes, "has %zu KiB of memory of threads that have left, which are still to be fetched", left >> 10);
  return words;
}
Remainder remainder = {pages_stay, nullptr};

/// The child of a fork is no node, and nobody waits for its end.
void in_child() {
  for (size_t i = 0; i < count; i++)
    close(all[i].fd);
}

} // namespace

const char *keeper_start() {
  const auto most = static_cast<size_t>(node.count) + 1;
  all = static_cast<pollfd *>(calloc(most, sizeof *all));
  peers = static_cast<int *>(calloc(most, sizeof *peers));
  if (!all || !peers)
    return "no memory for the kernel threads that bring pages";
  sockaddr_un address;
  const unsigned bytes = address_of(node.self, address);
  listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0 || bind(listening, reinterpret_cast<const sockaddr *>(&address), bytes) != 0 ||
      listen(listening, node.count) != 0)
    return "a socket for pages cannot be made";
  all[0] = {listening, POLLIN, 0};
  peers[0] = -1;
  count = 1;
  random_state = static_cast<uint32_t>(knobs.seed) * 2654435761u + 77u + static_cast<uint32_t>(node.self);
  pthread_atfork(nullptr, nullptr, in_child);
  remainder_add(remainder);
  pthread_t kernel_thread;
  return own_thread_start(kernel_thread, keeper_main) ? "a kernel thread for pages cannot be started" : nullptr;
}

} // namespace skein::page_channel
