// Sending; see sending.h. All but `post`, `acquire` and `release` is done under the peer's lock.
#include "net/wire/tcp/sending.h"

#include <cstdlib>
#include <cstring>
#include <sys/epoll.h>

namespace skein::tcp {

void drop_all(Peer &peer) {
  for (Fifo<Outgoing> *queue : {&peer.small, &peer.large})
    while (Outgoing *one = queue->pop()) {
      free(one->message);
      free(one);
    }
  if (peer.parted) {
    free(peer.parted->message);
    free(peer.parted);
    peer.parted = nullptr;
  }
  free(peer.direct_message);
  peer.direct_message = peer.direct = nullptr;
  peer.direct_left = peer.stage_at = peer.stage_end = 0;
  peer.staged = peer.waiting = 0;
}

namespace {

constexpr size_t copied_most = 4096; // a larger message on a plain connection is gathered where it lies
/// A part of a large message, with its header, is a whole number of records.
constexpr size_t part_bytes = frame_most - sizeof(FrameHeader);

void put_header(Peer &peer, FrameKind kind, size_t bytes) {
  const FrameHeader header = {static_cast<uint32_t>(bytes), kind, {}};
  memcpy(peer.stage + peer.stage_end, &header, sizeof header);
  peer.stage_end += sizeof header;
}

/// Copies the beginning to the stage and leaves the rest where it lies. A sealed connection fills the stage, since one
/// record more would take longer than the copy.
void put(Peer &peer, char *bytes, size_t count) {
  const size_t room = stage_bytes - peer.stage_end;
  const size_t copied = security.sealed || count <= copied_most ? (count < room ? count : room) : 0;
  memcpy(peer.stage + peer.stage_end, bytes, copied);
  peer.stage_end += copied;
  peer.direct = bytes + copied;
  peer.direct_left = count - copied;
}

/// Puts a message that travels whole on the stage. True: all of it is there, and the message is not needed any more.
bool put_whole(Peer &peer, char *message, size_t bytes) {
  put_header(peer, FrameKind::whole, bytes);
  put(peer, message, bytes);
  if (peer.direct_left == 0) {
    peer.staged++;
    return true;
  }
  peer.direct_message = message;
  return false;
}

/// The next frames, small messages first. False: there is nothing to send.
bool compose(Peer &peer) {
  while (peer.direct_left == 0 && !peer.small.empty() &&
         stage_bytes - peer.stage_end >= sizeof(FrameHeader) + (peer.stage_end ? peer.small.first()->bytes : 0)) {
    Outgoing *one = peer.small.pop();
    if (put_whole(peer, one->message, one->bytes))
      free(one->message);
    free(one);
  }
  if (peer.direct_left == 0 && stage_bytes - peer.stage_end >= 2 * sizeof(FrameHeader) + sizeof(uint64_t)) {
    if (!peer.parted && (peer.parted = peer.large.pop())) {
      const uint64_t total = peer.parted->bytes;
      put_header(peer, FrameKind::begin, sizeof total);
      memcpy(peer.stage + peer.stage_end, &total, sizeof total);
      peer.stage_end += sizeof total;
      peer.parted_at = 0;
    }
    if (Outgoing *parted = peer.parted) {
      const size_t left = parted->bytes - peer.parted_at, count = left < part_bytes ? left : part_bytes;
      put_header(peer, FrameKind::part, count);
      put(peer, parted->message + peer.parted_at, count);
      peer.parted_at += count;
      if (count == left) {
        peer.direct_message = parted->message; // even if all of it is on the stage
        free(parted);
        peer.parted = nullptr;
      }
    }
  }
  return peer.stage_end || peer.direct_left;
}

/// Sends what there is, until the socket is full. What cannot be sent any more is dropped; the reader will find the end
/// of the connection, too, and report it.
void advance(Peer &peer) {
  while (peer.stage_end || peer.direct_left || compose(peer)) {
    while (peer.stage_at < peer.stage_end || peer.direct_left) {
      iovec parts[2];
      int count = 0;
      if (peer.stage_at < peer.stage_end)
        parts[count++] = {peer.stage + peer.stage_at, peer.stage_end - peer.stage_at};
      if (peer.direct_left)
        parts[count++] = {peer.direct, peer.direct_left};
      size_t sent = peer.line->write(parts, count, peer.parted != nullptr);
      if (sent == 0) {
        if (peer.line->ended()) {
          drop_all(peer);
          peer.broken = true;
        } else if (!peer.blocked) {
          peer.blocked = true;
          watch(peer.line->fd, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT, static_cast<uint64_t>(&peer - peers));
        }
        return;
      }
      const size_t staged = peer.stage_end - peer.stage_at, of_stage = sent < staged ? sent : staged;
      peer.stage_at += of_stage;
      sent -= of_stage;
      peer.direct += sent;
      peer.direct_left -= sent;
    }
    peer.waiting -= peer.staged;
    peer.staged = 0;
    peer.stage_at = peer.stage_end = 0;
    if (peer.direct_message) {
      free(peer.direct_message);
      peer.direct_message = nullptr;
      peer.waiting--;
    }
  }
  if (peer.blocked) {
    peer.blocked = false;
    watch(peer.line->fd, EPOLL_CTL_MOD, EPOLLIN, static_cast<uint64_t>(&peer - peers));
  }
}

} // namespace

void collect(Peer &peer) {
  Outgoing *turned = nullptr;
  for (Outgoing *one = peer.inbox.exchange(nullptr, std::memory_order_acq_rel); one;) {
    Outgoing *next = one->next;
    one->next = turned;
    turned = one;
    one = next;
  }
  while (turned) {
    Outgoing *one = turned;
    turned = one->next;
    if (peer.state == State::gone || peer.broken) {
      free(one->message);
      free(one);
      continue;
    }
    peer.waiting++;
    (one->bytes > frame_most ? peer.large : peer.small).push(one);
  }
}

void send_waiting(Peer &peer) {
  if (peer.state == State::open && !peer.broken)
    advance(peer);
}

void release(Peer &peer) {
  for (;;) {
    peer.lock.unlock();
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the one in post
    if (!peer.inbox.load(std::memory_order_relaxed) || !peer.lock.try_lock())
      return;
    collect(peer);
    if (!peer.blocked)
      send_waiting(peer);
  }
}

void acquire(Peer &peer) {
  for (unsigned i = 0; i < 1000; i++) {
    if (peer.lock.try_lock())
      return;
    __builtin_ia32_pause();
  }
  peer.lock.lock();
}

namespace {

Outgoing *outgoing(void *message, size_t bytes) {
  auto *one = static_cast<Outgoing *>(malloc(sizeof(Outgoing)));
  if (!one)
    out_of_memory(bytes);
  *one = {nullptr, static_cast<char *>(message), bytes};
  return one;
}

} // namespace

Posted post(int to, void *message, size_t bytes, bool later) {
  Peer &peer = peers[to];
  if (!peer.lock.try_lock()) {
    Outgoing *one = outgoing(message, bytes);
    one->next = peer.inbox.load(std::memory_order_relaxed);
    while (!peer.inbox.compare_exchange_weak(one->next, one, std::memory_order_release, std::memory_order_relaxed))
      ;
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the one in release
    if (peer.lock.try_lock()) {
      collect(peer);
      if (!peer.blocked)
        send_waiting(peer);
      release(peer);
    }
    return Posted::kept;
  }
  if (peer.inbox.load(std::memory_order_acquire))
    collect(peer);
  if (peer.state == State::gone || peer.broken) {
    release(peer);
    return Posted::nobody;
  }
  Posted posted = Posted::kept;
  peer.waiting++;
  if (!later && peer.state == State::open && bytes <= frame_most && peer.waiting == 1) {
    if (put_whole(peer, static_cast<char *>(message), bytes))
      posted = Posted::left;
  } else {
    (bytes > frame_most ? peer.large : peer.small).push(outgoing(message, bytes));
  }
  if (!later && !peer.blocked)
    send_waiting(peer);
  release(peer);
  return posted;
}

} // namespace skein::tcp
