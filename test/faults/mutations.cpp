// This transport changes some of the messages that it sends; see faults.h.
#include "abi/entry_points.h"
#include "base/node.h"
#include "base/random.h"
#include "faults.h"
#include "migrate/checksum.h"
#include "migrate/image_layout.h"
#include "net/wire/messages.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace skein::faults {

namespace {

const skein_transport *inner;
skein_transport table;
skein_transport_setup above;
uint64_t one_in;
std::atomic<uint64_t> random_state;

/// Random numbers for any kernel thread that sends.
uint64_t random_next() {
  uint64_t before = random_state.load(std::memory_order_relaxed), after;
  do {
    after = before;
    xorshift(after);
  } while (!random_state.compare_exchange_weak(before, after, std::memory_order_relaxed));
  return after;
}
size_t below(size_t n) { return n ? random_next() % n : 0; }

/// A value that numbers, sizes, ids and addresses might wrongly have.
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

/// Changes the words of the first image in a shipment that say which thread it is.
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
  // The checksum is made as image_seal() makes it.
  image.checksum = checksum(reinterpret_cast<unsigned char *>(&image) + checksum_begin, image.bytes - checksum_begin);
}

/// Changes a message in place, where `room` bytes are available. Returns its new size.
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
  const size_t first = std::min(bytes - body, size_t{512}); // what matters most comes first
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
  return bytes >= sizeof(MessageHeader) && !is_hello(message, bytes) && below(one_in) == 0;
}

/// A changed copy, from malloc.
void *changed(const void *message, size_t &bytes) {
  const size_t room = bytes + 64;
  auto *copy = static_cast<unsigned char *>(malloc(room));
  if (!copy)
    out_of_memory(room);
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

const skein_transport *with_mutations(const skein_transport *wrapped, const skein_transport_faults &wanted) {
  if (wanted.seed % static_cast<uint64_t>(wanted.peers) != static_cast<uint64_t>(wanted.self))
    return wrapped;
  inner = wrapped;
  table = *wrapped;
  table.open = open;
  table.send = send;
  table.lend = lend;
  one_in = wanted.mutate;
  random_state = random_begin(wanted.seed + 1);
  return &table;
}

} // namespace skein::faults
