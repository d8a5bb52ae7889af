// The fetcher: asks for the pages that threads of this node have left elsewhere; see page_channel.h. It hears of faults
// first, and asks for pages that nobody waits for as long as few of the thread's are under way.
//
// It never waits for room for a question without taking answers, of any keeper: a keeper takes no more questions while
// its answers find no room. When thousands of threads came at once, the two waited for each other for ever.
#include "base/log.h"
#include "base/node.h"
#include "net/paging/page_channel.h"
#include "net/run/membership.h"
#include "net/run/newcomers.h"
#include "os/linux/own_thread.h"
#include "os/linux/page_faults.h"
#include "private/paging/paging.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace skein::page_channel {

namespace {

constexpr int retry_ms_first = 20, retry_ms_last = 10000; // while a keeper is missing: it may be on another host
constexpr int lost_patience_s = 1;                        // for the launcher to end this node

int work = -1;                        // an eventfd
int *keepers;                         // sockets, by node; -1: not connected, -2: lost, or not there yet
bool met;                             // all others are connected, or lost
std::atomic<bool> arrived[nodes_max]; // newcomers whose keeper is to be connected to
pollfd *keepers_polled;               // by node
unsigned char pages[pages_most];

/// Notices which nodes have come.
void look_for_newcomers() {
  for (int peer = 0; peer < node.count; peer++)
    if (arrived[peer].load(std::memory_order_relaxed) && arrived[peer].exchange(false, std::memory_order_acquire)) {
      keepers[peer] = -1;
      met = false;
    }
}

/// Connects to all keepers that are there by now. True: all are connected, or lost.
bool meet() {
  bool all = true;
  for (int peer = 0; peer < node.count; peer++) {
    if (peer == node.self || keepers[peer] != -1)
      continue;
    sockaddr_un address;
    const unsigned bytes = address_of(peer, address);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const PageHello ours = hello_of(node.self, peer);
    PageHello theirs;
    if (fd >= 0 && connect(fd, reinterpret_cast<const sockaddr *>(&address), bytes) == 0 && same_user(fd) &&
        send_whole(fd, &ours, sizeof ours) && receive_whole(fd, &theirs, sizeof theirs) && theirs.node == peer &&
        hello_right(theirs)) {
      keepers[peer] = fd;
      continue;
    }
    if (fd >= 0)
      close(fd);
    all = false;
  }
  return all;
}

/// Threads whose pages were there cannot go on.
[[gnu::cold]] void lose(int peer) {
  close(keepers[peer]);
  keepers[peer] = -2;
  static int lost_at;
  lost_at = peer;
  static bool any;
  any = false;
  paging_each_missing_at(peer, [](uint64_t, size_t) { any = true; });
  if (!any)
    return;
  const timespec patience = {lost_patience_s, 0};
  nanosleep(&patience, nullptr);
  paging_each_missing_at(peer, [](uint64_t thread, size_t bytes) {
    fatal("thread %s cannot go on: %zu KiB of its memory are on node %d, which does not answer any more",
          thread_name(thread).text, bytes >> 10, lost_at);
  });
}

void take_answer(int peer) {
  PageAnswer answer;
  const int socket = keepers[peer];
  if (!receive_whole(socket, &answer, sizeof answer))
    return lose(peer);
  const bool unknown = answer.following == pages_unknown, bytes = !unknown && answer.following != 0;
  if (answer.bytes > pages_most || (bytes && answer.following != answer.bytes) ||
      (bytes && !receive_whole(socket, pages, answer.following)) ||
      !paging_came(peer, answer.number, answer.begin, answer.bytes, bytes ? pages : nullptr, unknown))
    lose(peer);
}

/// Waits for answers, or for room for a question to node `to`, and takes the answers that have come.
void take_answers(int to) {
  for (int peer = 0; peer < node.count; peer++)
    keepers_polled[peer] = {keepers[peer] >= 0 ? keepers[peer] : -1,
                            static_cast<short>(peer == to ? POLLIN | POLLOUT : POLLIN), 0};
  poll(keepers_polled, static_cast<nfds_t>(node.count), -1);
  for (int peer = 0; peer < node.count; peer++)
    if (keepers_polled[peer].revents & ~POLLOUT && keepers[peer] >= 0)
      take_answer(peer);
}

void ask(const WantedPages &wanted) {
  const PageQuestion question = {wanted.number, wanted.begin, wanted.bytes};
  const auto *bytes = reinterpret_cast<const std::byte *>(&question);
  for (size_t done = 0; done < sizeof question && keepers[wanted.from] >= 0;) {
    const ssize_t sent = send(keepers[wanted.from], bytes + done, sizeof question - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0)
      done += static_cast<size_t>(sent);
    else if (errno == EAGAIN)
      take_answers(wanted.from);
    else if (errno != EINTR)
      lose(wanted.from);
  }
}

void *fetcher_main(void *) {
  pthread_setname_np(pthread_self(), "skein-fetcher");
  auto *all = static_cast<pollfd *>(calloc(static_cast<size_t>(node.count) + 2, sizeof(pollfd)));
  keepers_polled = static_cast<pollfd *>(calloc(static_cast<size_t>(node.count), sizeof(pollfd)));
  if (!all || !keepers_polled)
    fatal("out of memory for the kernel thread that fetches pages");
  for (int retry_ms = retry_ms_first;;) {
    look_for_newcomers();
    if (!met && (met = meet(), !met) && retry_ms < retry_ms_last)
      retry_ms *= 2;
    all[0] = {page_faults_file(), POLLIN, 0};
    all[1] = {work, POLLIN, 0};
    for (int peer = 0; peer < node.count; peer++)
      all[peer + 2] = {keepers[peer] >= 0 ? keepers[peer] : -1, POLLIN, 0};
    if (poll(all, static_cast<nfds_t>(node.count) + 2, met ? -1 : retry_ms) < 0 && errno != EINTR)
      return nullptr;
    uint64_t told;
    if (all[1].revents && read(work, &told, sizeof told) < 0 && errno != EAGAIN)
      return nullptr;
    for (int peer = 0; peer < node.count; peer++)
      if (all[peer + 2].revents && keepers[peer] >= 0)
        take_answer(peer);
    WantedPages wanted;
    while (paging_next_fault(wanted))
      ask(wanted);
    while (paging_next(wanted))
      ask(wanted);
    WantedPages over = {};
    while (paging_next_over(over.from, over.number))
      ask(over);
  }
}

void tell() {
  const uint64_t one = 1;
  if (write(work, &one, sizeof one) < 0)
    return; // it is told already
}

void on_arrival(int peer) {
  arrived[peer].store(true, std::memory_order_release);
  tell();
}

void on_death(int peer) {
  static int dead;
  dead = peer;
  paging_each_missing_at(peer, [](uint64_t thread, size_t bytes) {
    log("thread %s is lost, too: %zu KiB of its memory were still on node %d", thread_name(thread).text, bytes >> 10,
        dead);
  });
}

void in_child() {
  for (int peer = 0; peer < node.count; peer++)
    if (keepers[peer] >= 0)
      close(keepers[peer]);
  close(work);
}

} // namespace

const char *fetcher_prepare() {
  work = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  keepers = static_cast<int *>(malloc(static_cast<size_t>(node.count) * sizeof *keepers));
  if (work < 0 || !keepers)
    return "no memory for the kernel threads that bring pages";
  for (int peer = 0; peer < node.count; peer++)
    keepers[peer] = peer < nodes_taken() ? -1 : -2;
  pthread_atfork(nullptr, nullptr, in_child);
  paging_work = tell;
  node_died.add(on_death);
  node_arrived.add(on_arrival);
  return nullptr;
}

const char *fetcher_start() {
  met = meet();
  pthread_t kernel_thread;
  return own_thread_start(kernel_thread, fetcher_main) ? "a kernel thread for pages cannot be started" : nullptr;
}

} // namespace skein::page_channel
