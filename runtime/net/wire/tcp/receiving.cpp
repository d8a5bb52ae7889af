// Receiving; see receiving.h. With up to `near_most` peers each look is a recv on each of them; with more it is one on
// the peer that was heard last, and epoll for the others.
#include "net/wire/tcp/receiving.h"
#include "net/wire/tcp/sending.h"

#include <cstdlib>
#include <cstring>
#include <sys/uio.h>

namespace skein::tcp {

Arrived arrived;

namespace {

constexpr unsigned near_most = 3;
int near[near_most]; // all open peers, if there are few enough
unsigned near_count;
bool all_near;
int last_heard = -1;

/// Takes the messages of one peer out of the stream. Answers leave together, with the last one.
class Sink {
public:
  explicit Sink(int from) : from_(from) {}
  ~Sink() { answer(false); }
  Sink(const Sink &) = delete;

  bool whole(const char *message, size_t bytes) {
    count++;
    skein_transport_answer reply = {-1, nullptr, 0};
    if (setup.at_once && setup.at_once(setup.context, from_, message, bytes, &reply)) {
      if (reply.message) {
        answer(true);
        reply_ = reply;
      }
      return true;
    }
    Incoming *incoming = arrived.expect(from_, bytes);
    if (!incoming)
      out_of_memory(bytes);
    memcpy(incoming->message, message, bytes);
    arrived.append(incoming);
    return true;
  }
  bool large(char *message, uint64_t bytes) {
    count++;
    if (!arrived.adopt(from_, message, bytes))
      out_of_memory(bytes);
    return true;
  }
  unsigned count = 0;

private:
  void answer(bool later) {
    if (reply_.message && post(reply_.to, reply_.message, reply_.bytes, later) != Posted::kept)
      free(reply_.message);
    reply_.message = nullptr;
  }
  const int from_;
  skein_transport_answer reply_ = {-1, nullptr, 0};
};

/// Takes messages out of `input`. False: the peer has broken the rules.
bool digest(Peer &peer, Sink &sink) {
  size_t used = 0;
  const char *wrong = peer.reader.take(peer.input, peer.input_end, used, sink);
  if (wrong)
    return ended(peer, wrong), false;
  peer.input_end -= used;
  if (peer.input_end && used)
    memmove(peer.input, peer.input + used, peer.input_end);
  return true;
}

/// Reads what TLS makes of what has been received.
void read_sealed(Peer &peer, Sink &sink) {
  for (;;) {
    size_t room, bytes;
    char *direct = peer.reader.direct(room);
    acquire(peer);
    bytes = peer.state == State::open ? direct
                                            ? peer.line->read(direct, room)
                                            : peer.line->read(peer.input + peer.input_end, input_bytes - peer.input_end)
                                      : 0;
    release(peer);
    if (bytes == 0)
      return;
    if (direct) {
      peer.reader.take(nullptr, bytes, room, sink);
      continue;
    }
    peer.input_end += bytes;
    if (!digest(peer, sink))
      return;
  }
}

void read_plain(Peer &peer, Sink &sink, unsigned &happened) {
  size_t room;
  char *direct = peer.reader.direct(room);
  iovec parts[2] = {{direct, room}, {peer.input + peer.input_end, input_bytes - peer.input_end}};
  size_t bytes = direct ? peer.line->read(parts, 2) : peer.line->read(parts + 1, 1);
  if (bytes == 0)
    return;
  happened++;
  if (direct) {
    size_t used;
    const size_t of_part = bytes < room ? bytes : room;
    peer.reader.take(nullptr, of_part, used, sink);
    bytes -= of_part;
  }
  peer.input_end += bytes;
  digest(peer, sink);
}

} // namespace

void find_near() {
  near_count = 0;
  all_near = true;
  for (int i = 0; i < setup.peers; i++)
    if (i != setup.self && peers[i].state == State::open) {
      if (near_count == near_most)
        all_near = false;
      else
        near[near_count++] = i;
    }
}

void receiving_forget() {
  for (Incoming *incoming = arrived.take(); incoming;) {
    Incoming *next = incoming->next;
    arrived.drop(incoming);
    incoming = next;
  }
  near_count = 0;
  all_near = false;
  last_heard = -1;
}

unsigned serve(int number) {
  Peer &peer = peers[number];
  Connection *line = peer.line;
  if (!line || peer.state != State::open)
    return 0;
  unsigned happened = 0;
  {
    Sink sink(number);
    if (!security.sealed) {
      read_plain(peer, sink, happened);
    } else if (line->fill()) {
      happened++;
      read_sealed(peer, sink);
    }
    happened += sink.count;
  }
  if (happened)
    last_heard = number;
  if (peer.blocked) {
    acquire(peer);
    send_waiting(peer);
    release(peer);
  }
  if (const char *why = line->ended()) {
    // A writer may have found the end first, and there may be more to read; so it counts only if nothing has come.
    if (!happened) {
      ended(peer, why);
      happened++;
    }
  }
  return happened;
}

void serve_greeted(int number) {
  Sink sink(number);
  if (security.sealed)
    read_sealed(peers[number], sink);
}

bool serve_near(unsigned &happened) {
  if (all_near) {
    for (unsigned i = 0; i < near_count; i++)
      happened += serve(near[i]);
    return true;
  }
  return last_heard >= 0 && (happened = serve(last_heard));
}

} // namespace skein::tcp
