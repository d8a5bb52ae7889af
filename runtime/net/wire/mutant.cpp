// Changed messages; see mutant.h.
#include "net/wire/mutant.h"
#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "base/random.h"
#include "migrate/image.h"
#include "net/wire/messages.h"
#include "thread/thread.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

const skein_transport *inner;
skein_transport table;
skein_transport_setup above;
SpinLock lock{Rank::net}; // senders are many
uint64_t random_state;

uint64_t random_next() {
  Guard guard(lock);
  return xorshift(random_state);
}
size_t below(size_t n) { return n ? random_next() % n : 0; }

/// What numbers, sizes, ids and addresses might wrongly be.
uint64_t interesting(uint64_t was) {
  switch (below(10)) {
  case 0:
    return 0;
  case 1:
    return ~UINT64_C(0) >> below(64);
  case 2:
    return UINT64_C(1) << below(64);
  case 3:
    return was + below(17) - 8;
  case 4:
    return below(16);
  case 5:
    return static_cast<uint64_t>(below(5001)) << id_node_shift | below(64);
  case 6:
    return SKEIN_SHARED_BASE + (static_cast<uint64_t>(below(4)) << SKEIN_SLICE_BITS) + (below(1 << 20) & ~UINT64_C(7));
  case 7:
    return was ^ UINT64_C(1) << below(64);
  case 8:
    return was << 32 | was >> 32;
  default:
    return random_next();
  }
}

/// Of the first image of a shipment: who it says it is.
void change_identity(ImageHeader &image) {
  switch (below(6)) {
  case 0:
    image.travels.id = interesting(image.travels.id);
    break;
  case 1:
    image.slot = static_cast<uint32_t>(interesting(image.slot));
    break;
  case 2:
    image.flags = static_cast<uint32_t>(interesting(image.flags));
    break;
  case 3:
    image.bundle = static_cast<uint32_t>(interesting(image.bundle));
    break;
  case 4:
    image.bound = static_cast<uint32_t>(interesting(image.bound));
    break;
  default:
    image.travels.moves = static_cast<uint16_t>(interesting(image.travels.moves));
  }
  image_seal(image);
}

/// Changes a message in place; `room` bytes are there. Its size from then on.
size_t change(unsigned char *message, size_t bytes, size_t room) {
  auto &header = *reinterpret_cast<MessageHeader *>(message);
  constexpr size_t body = sizeof(MessageHeader);
  const bool threads = header.type == static_cast<uint8_t>(MessageType::threads);
  if (threads && bytes >= sizeof(ThreadsMessage) + sizeof(ImageHeader) && below(3) == 0) {
    auto &image = *reinterpret_cast<ImageHeader *>(message + sizeof(ThreadsMessage));
    if (image.bytes <= bytes - sizeof(ThreadsMessage))
      change_identity(image);
    return bytes;
  }
  switch (below(10)) {
  case 0:
    header.type = static_cast<uint8_t>(below(8) ? below(static_cast<size_t>(MessageType::last) + 1) : random_next());
    return bytes;
  case 1:
    if (below(2))
      header.plain = static_cast<uint32_t>(below(3));
    else
      header.version = static_cast<uint8_t>(random_next());
    return bytes;
  case 2:
    return body + below(bytes - body); // the end is missing
  case 3:
    for (size_t at = bytes; at < room; at++)
      message[at] = static_cast<unsigned char>(random_next());
    return bytes + 1 + below(room - bytes);
  default:
    break;
  }
  if (bytes <= body)
    return bytes;
  const size_t width = UINT64_C(1) << below(4);
  const size_t first = std::min(bytes - body, size_t{512}); // what counts comes first
  if (first < width)
    return bytes;
  const size_t at = body + below(first - width + 1) / width * width;
  uint64_t value = 0;
  memcpy(&value, message + at, width);
  value = interesting(value);
  memcpy(message + at, &value, width);
  return bytes;
}

bool is_to_change(const void *message, size_t bytes) {
  return bytes >= sizeof(MessageHeader) &&
         static_cast<const MessageHeader *>(message)->type != static_cast<uint8_t>(MessageType::hello) &&
         below(knobs.net_mutate) == 0;
}

/// A changed copy, from malloc.
void *changed(const void *message, size_t &bytes) {
  const size_t room = bytes + 64;
  auto *copy = static_cast<unsigned char *>(malloc(room));
  if (!copy)
    fatal("out of memory for a message of %zu bytes", room);
  memcpy(copy, message, bytes);
  bytes = change(copy, bytes, room);
  return copy;
}

int send(int peer, void *message, size_t bytes) {
  if (is_to_change(message, bytes)) {
    void *copy = changed(message, bytes);
    free(message);
    message = copy;
  }
  return inner->send(peer, message, bytes);
}

int lend(int peer, void *message, size_t bytes) {
  if (!is_to_change(message, bytes))
    return inner->lend(peer, message, bytes);
  void *copy = changed(message, bytes);
  inner->send(peer, copy, bytes);
  return 0;
}

int at_once(void *, int from, const void *message, size_t bytes, skein_transport_answer *answer) {
  const int done = above.at_once(above.context, from, message, bytes, answer);
  if (done && answer->message && is_to_change(answer->message, answer->bytes)) {
    void *copy = changed(answer->message, answer->bytes);
    free(answer->message);
    answer->message = copy;
  }
  return done;
}

int open(const skein_transport_setup *setup, char *error, size_t error_bytes) {
  above = *setup;
  skein_transport_setup mine = *setup;
  if (setup->at_once)
    mine.at_once = at_once;
  return inner->open(&mine, error, error_bytes);
}

} // namespace

const skein_transport *mutant_transport(const skein_transport *wrapped) {
  if (knobs.net_mutate == 0 || knobs.seed % static_cast<uint64_t>(node.count) != static_cast<uint64_t>(node.self))
    return wrapped;
  inner = wrapped;
  table = *wrapped;
  table.open = open;
  table.send = send;
  table.lend = lend;
  random_state = (knobs.seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 8; i++)
    random_next(); // neighbouring seeds part
  return &table;
}

} // namespace skein
