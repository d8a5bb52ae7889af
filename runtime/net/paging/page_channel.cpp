// How keepers and fetchers meet; see page_channel.h.
#include "net/paging/page_channel.h"

#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "migrate/lazy_moves.h"
#include "net/run/halting.h"
#include "net/wire/secret.h"
#include "net/wire/siphash.h"
#include "private/paging/paging.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace skein {

namespace page_channel {

PageHello hello_of(int from, int to) {
  const int64_t words[] = {static_cast<int64_t>(hello_magic), from, to};
  return {hello_magic, from, siphash(run_secret(), words, sizeof words)};
}

bool same_user(int socket) {
  ucred peer;
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

bool hello_right(const PageHello &hello) {
  if (hello.node < 0 || hello.node >= node.count || hello.node == node.self)
    return false;
  const PageHello right = hello_of(static_cast<int>(hello.node), node.self);
  return hello.magic == right.magic && hello.proof == right.proof;
}

unsigned address_of(int owner, sockaddr_un &address) {
  const int64_t words[] = {0x70'61'67'65'73, owner};
  address = {};
  address.sun_family = AF_UNIX;
  // The first byte is 0: the name is in no file system.
  const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "skein-pages-%016llx",
                              static_cast<unsigned long long>(siphash(run_secret(), words, sizeof words)));
  return static_cast<unsigned>(offsetof(sockaddr_un, sun_path) + 1) + static_cast<unsigned>(length);
}

bool send_whole(int socket, const void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    const ssize_t sent = send(socket, static_cast<const std::byte *>(bytes) + done, count - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

bool receive_whole(int socket, void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    const ssize_t got = recv(socket, static_cast<std::byte *>(bytes) + done, count - done, MSG_WAITALL);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

} // namespace page_channel

namespace {

/// Pages travel apart from the messages that are counted, and a copy of a node has no pages of other nodes' threads.
const char *busy(char *words, size_t bytes) {
  if (const int from = paging_missing_at(0); from >= 0) {
    snprintf(words, bytes, "fetches memory of its threads from node %d", from);
    return words;
  }
  return paging_kept() ? "has memory of threads that have left, which are still to be fetched" : nullptr;
}
HaltPart halt_part = {busy, nullptr, nullptr};

void on_reborn() {
  if (!paging_on)
    return;
  paging_reborn();
  lazy_never = "the nodes are made of a checkpoint";
  if (node.self == 0)
    log("moves=lazy is over, since the nodes are made of a checkpoint: threads take all of their memory along");
}

} // namespace

void page_channel_start() {
  if (knobs.moves != MoveMemory::lazy)
    return;
  halt_part_add(halt_part);
  node_reborn.add(on_reborn);
  lazy_never = paging_start();
  if (!lazy_never)
    lazy_never = page_channel::fetcher_prepare();
  if (!lazy_never)
    lazy_never = page_channel::keeper_start();
}

void page_channel_meet() {
  if (knobs.moves != MoveMemory::lazy || lazy_never)
    return;
  lazy_never = page_channel::fetcher_start();
  paging_on = !lazy_never;
}

} // namespace skein
