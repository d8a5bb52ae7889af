// A libFuzzer target for everything that arrives at a node: messages of all kinds come to a node in the middle of the
// operations that they are about. test/fuzz/messages.py runs it.
//
// The node is this process (test/unit/net/lone_node.h), node 0 or 1 of two (SKEIN_FUZZ_NODE). An input is a script.
// Each step has the node begin something (ship a thread, steal, read and write the peer's memory) or has the peer send
// a message: one that answers what the node has sent, or one of its own accord, right in its form, with ids, calls,
// addresses and handles that have been heard of; and one in four is then changed here and there. So messages get past
// the checks and meet the states behind them.
//
// Whatever comes, there must be no crash, no access out of bounds (AddressSanitizer watches: a message lies in a block
// of its size), no undefined behaviour, no failed assertion, and no `fatal`. A peer that is rejected is treated as
// dead, as membership does it, and a new one comes. The same happens at the end of each input, whatever is under way
// then.
#include "base/node.h"
#include "channels/channel.h"
#include "dsm/access.h"
#include "dsm/cache.h"
#include "net/messages/active.h"
#include "net/messages/pending.h"
#include "net/moves/exchange.h"
#include "net/moves/outbox.h"
#include "net/moves/steals.h"
#include "net/run/termination.h"
#include "net/wire/link.h"
#include "os/linux/futex.h"
#include "private/regions/extents.h"
#include "sched/bundle.h"

#include "../unit/migrate/image_fixture.h"
#include "../unit/net/lone_node.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <skein/global.h>
#include <skein/messages.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

extern "C" skein::Thread *skein_shared_prefetch_call(skein::Thread *self, uint64_t begin, uint64_t bytes);
extern "C" void _exit(int) { abort(); } // `fatal` ends here, and must not be called

/// A peer may write memory of this process if a program allows it. Here that would be the fuzzer's own.
extern "C" ssize_t process_vm_writev(pid_t, const iovec *, unsigned long, const iovec *, unsigned long, unsigned long) {
  errno = EFAULT;
  return -1;
}

namespace {

std::deque<uint64_t> handles; // what the node's replies gave: handles of objects, addresses
std::vector<Bytes> images;    // intact ones
uint64_t born;                // threads of the peer
uint64_t delivered;
char memory[8192];

void note(const Bytes &message) {
  const auto *reply = reinterpret_cast<const ReplyMessage *>(message.data());
  if (message[1] != static_cast<unsigned char>(MessageType::reply) || message.size() < sizeof *reply)
    return;
  uint64_t word = reply->value;
  if (!word && message.size() == sizeof *reply + 8)
    memcpy(&word, reply + 1, 8);
  handles.push_back(word);
  if (handles.size() > 32)
    handles.pop_front();
}

struct Script {
  const uint8_t *at, *end;
  bool over() const { return at == end; }
  uint8_t byte() { return over() ? 0 : *at++; }
  size_t below(size_t n) { return n ? byte() % n : 0; }
  uint64_t word() {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
      word = word << 8 | byte();
    return word;
  }
};

// --- what has been heard of ------------------------------------------------------------------------------------------

/// One of the latest messages of type T that the node has sent, or null.
template <class T> const T *heard(Script &script) { return lone_node::heard<T>(script.below(4)); }

const ImageHeader *image_in_flight(Script &script) {
  const auto *threads = heard<ThreadsMessage>(script);
  return threads ? reinterpret_cast<const ImageHeader *>(threads + 1) : nullptr;
}
uint64_t id(Script &script, int birth) {
  if (birth == node.self)
    if (const ImageHeader *image = image_in_flight(script))
      return image->travels.id;
  return static_cast<uint64_t>(birth) << id_node_shift | (1 + script.below(8));
}
uint64_t handle(Script &script) { return handles.empty() ? 1 : handles[script.below(handles.size())]; }
/// A channel of the node, made by LLVMFuzzerInitialize or by a message.
uint64_t channel(Script &script) { return static_cast<uint64_t>(node.self) << id_node_shift | (1 + script.below(8)); }
constexpr uint64_t slice = UINT64_C(1) << SKEIN_SLICE_BITS;
uint64_t slice_of(int owner) { return SKEIN_SHARED_BASE + static_cast<uint64_t>(owner) * slice; }
uint64_t address(Script &script) {
  const uint64_t known = handle(script);
  return (known - slice_of(node.self) < slice ? known : slice_of(node.self) + 4160) + 8 * script.below(4);
}
/// In the part of private memory that is this node's in a run of two.
uint64_t region_begin(Script &script) {
  const uint64_t part = (private_end - private_begin) / 2;
  return private_begin + static_cast<uint64_t>(node.self) * part + 65536 * script.below(8);
}

/// Returns the right answer to a call that the node has made.
Bytes answer(Script &script) {
  const size_t skip = script.below(16);
  const Bytes *asked = nullptr;
  size_t seen = 0;
  for (auto one = sent.rbegin(); one != sent.rend() && seen <= skip; ++one)
    switch (static_cast<MessageType>((*one)[1])) {
    case MessageType::join:
    case MessageType::parcel:
    case MessageType::range:
    case MessageType::await:
      asked = &*one;
      seen++;
      break;
    default:
      break;
    }
  if (!asked)
    return tell<ReplyMessage>(uint64_t{1}, uint64_t{0});
  const auto *call = reinterpret_cast<const StatisticsMessage *>(asked->data()); // `call` is first in all calls
  const ReplyMessage reply = {{}, call->call, script.below(8) ? 0u : 5u};
  Bytes data;
  if (reply.value)
    data.assign(9, 'x');
  else if ((*asked)[1] == static_cast<unsigned char>(MessageType::join))
    data.assign(sizeof(WireResult), 0);
  else if ((*asked)[1] == static_cast<unsigned char>(MessageType::parcel))
    for (const unsigned char *at = asked->data() + sizeof(ParcelMessage), *end = asked->data() + asked->size();
         at < end;) {
      ParcelEntry entry;
      memcpy(&entry, at, sizeof entry);
      at += sizeof entry + parcel_request_bytes(entry);
      const ParcelResult result = {static_cast<uint32_t>(parcel_result_bytes(entry)), 0};
      const auto *from = reinterpret_cast<const unsigned char *>(&result);
      data.insert(data.end(), from, from + sizeof result);
      data.resize(data.size() + parcel_padded(result.bytes));
    }
  return make(reply, data.data(), data.size());
}

Bytes threads(Script &script) {
  const size_t what = script.below(4);
  Bytes image = images[script.below(images.size())];
  auto *header = reinterpret_cast<ImageHeader *>(image.data());
  header->travels.id = static_cast<uint64_t>(peer()) << id_node_shift | ++born;
  if (const ImageHeader *flying = image_in_flight(script); flying && what == 0) { // it comes back
    image.assign(reinterpret_cast<const unsigned char *>(flying),
                 reinterpret_cast<const unsigned char *>(flying) + flying->bytes);
    header = reinterpret_cast<ImageHeader *>(image.data());
    header->travels.moves++;
  }
  if (script.below(4) == 0)
    reinterpret_cast<uint64_t *>(header)[2 + script.below(sizeof *header / 8 - 2)] = script.word();
  header->bytes = static_cast<uint32_t>(image.size());
  image_seal(*header);
  ThreadsMessage message{};
  message.shipment = 1 + script.below(64);
  message.count = 1;
  message.awaited = script.below(2);
  if (const auto *steal = heard<StealMessage>(script); steal && what == 1) {
    message.request = steal->request;
    message.answer = static_cast<uint32_t>(script.below(3));
  }
  if (const auto *other = heard<ThreadsMessage>(script); other && what == 2) {
    message.arrived = 1;
    const auto *number = reinterpret_cast<const unsigned char *>(&other->shipment);
    image.insert(image.end(), number, number + 8);
  }
  return make(message, image.data(), image.size());
}

/// Makes a message of this kind, with a right form. A kind that is missing here is an error.
Bytes message(Script &script, MessageType type) {
  switch (type) {
  case MessageType::hello:
    return make(HelloMessage{});
  case MessageType::heartbeat:
    return tell<HeartbeatMessage>(uint64_t{script.byte()});
  case MessageType::threads:
    return threads(script);
  case MessageType::verdict: {
    const auto *shipped = heard<ThreadsMessage>(script);
    VerdictMessage verdict = {{}, shipped ? shipped->shipment : 1, static_cast<uint32_t>(script.below(2)), 0};
    RefusedThread no = {0, 5, 1, 0, "no"};
    return make(verdict, &no, verdict.refused * sizeof no);
  }
  case MessageType::arrived: {
    const auto *shipped = heard<ThreadsMessage>(script);
    const uint64_t number = shipped ? shipped->shipment : 1;
    return make(ArrivedMessage{}, &number, sizeof number);
  }
  case MessageType::steal:
    return tell<StealMessage>(uint64_t{1} + script.byte(), uint64_t{0}, uint32_t{script.byte()},
                              static_cast<uint32_t>(script.below(4)), 0u, static_cast<uint32_t>(script.below(2)));
  case MessageType::nothing: {
    const auto *steal = heard<StealMessage>(script);
    return tell<NothingMessage>(steal ? steal->request : 1);
  }
  case MessageType::policy: {
    const uint32_t said = script.byte();
    PolicyMessage message{};
    message.policy = script.byte();
    return make(message, &said, script.below(5));
  }
  case MessageType::ended: {
    EndedThread ended = {id(script, node.self), {script.byte(), static_cast<uint32_t>(script.below(5)), 0}};
    return make(EndedMessage{}, &ended, sizeof ended);
  }
  case MessageType::moved: {
    MovedThread moved = {id(script, node.self), static_cast<uint32_t>(script.below(2)), script.byte()};
    return make(MovedMessage{}, &moved, sizeof moved);
  }
  case MessageType::slot:
    return tell<SlotMessage>(uint64_t{script.byte()});
  case MessageType::join:
    return tell<JoinMessage>(uint64_t{1} + script.byte(), id(script, node.self));
  case MessageType::global: {
    const uint64_t operation = script.below(SKEIN_GLOBAL_FREE + 2);
    const bool brings =
        operation == SKEIN_GLOBAL_REDUCE || operation == SKEIN_GLOBAL_SEND || operation == SKEIN_GLOBAL_FUTURE_SET;
    const bool ends = operation == SKEIN_GLOBAL_FREE + 1;
    return make(GlobalMessage{{},
                              ends ? 0u : 1u + script.byte(),
                              ends ? 0 : handle(script),
                              operation | static_cast<uint64_t>(script.below(16)) << 16,
                              id(script, peer())},
                memory, brings ? 8 * script.below(4) : 0);
  }
  case MessageType::global_create:
    return tell<GlobalCreateMessage>(uint64_t{1} + script.byte(), uint64_t{script.below(5)},
                                     script.below(3) ? uint64_t{script.below(4)} : handle(script),
                                     uint64_t{script.below(3)},
                                     static_cast<uint64_t>(script.below(8) ? node.self : peer()));
  case MessageType::statistics:
    return tell<StatisticsMessage>(uint64_t{1});
  case MessageType::count:
    return tell<CountMessage>(uint64_t{1} + script.byte());
  case MessageType::counted: {
    const auto *count = heard<CountMessage>(script);
    return tell<CountedMessage>(count ? count->round : 1, uint64_t{script.below(2)}, uint64_t{0},
                                uint64_t{script.byte()}, uint64_t{script.byte()}, uint64_t{script.below(2)});
  }
  case MessageType::quiet:
    return make(QuietMessage{});
  case MessageType::informed:
    return make(InformedMessage{});
  case MessageType::coming:
    return make(ComingMessage{});
  case MessageType::readable:
    return tell<ReadableMessage>(LentPlace{static_cast<uint64_t>(getpid()), reinterpret_cast<uint64_t>(memory) & ~7ul},
                                 uint64_t{script.below(3)});
  case MessageType::seal_key: {
    SealKeyMessage key{};
    key.key[0] = script.word();
    return make(key);
  }
  case MessageType::farewell:
    return tell<FarewellMessage>(uint64_t{script.below(3)}, uint64_t{script.byte()});
  case MessageType::estate:
    return tell<EstateMessage>(uint64_t{1}, uint64_t{script.below(7)});
  case MessageType::main_ended:
    return tell<MainEndedMessage>(int64_t{script.byte()});
  case MessageType::allocate:
    return tell<AllocateMessage>(uint64_t{1}, uint64_t{script.byte()});
  case MessageType::release:
    return tell<ReleaseMessage>(uint64_t{1}, address(script));
  case MessageType::reply:
    return answer(script);
  case MessageType::stealing:
    return tell<StealingMessage>(uint64_t{script.below(2)}, uint64_t{script.below(3)});
  case MessageType::wanted: {
    const uint64_t wanted = id(script, peer());
    return make(WantedMessage{}, &wanted, sizeof wanted);
  }
  case MessageType::regions: {
    FreedRegion region = {region_begin(script), UINT64_C(4096) << script.below(5) | script.below(2),
                          id(script, peer())};
    return make(RegionsMessage{}, &region, sizeof region);
  }
  case MessageType::claim:
    return tell<ClaimMessage>(uint64_t{1}, region_begin(script), UINT64_C(4096) << script.below(5));
  case MessageType::request: {
    const uint32_t handlers[] = {0, builtin_number(Builtin::put), builtin_number(Builtin::get)};
    uint64_t copy[6] = {handle(script), script.byte(), script.byte(), 0, 0, 0};
    return make(RequestMessage{{}, handlers[script.below(3)], 0, 1}, copy, 32 + script.below(2) * copy[2] % 16);
  }
  case MessageType::credits:
    return tell<CreditsMessage>(uint64_t{1} + script.byte());
  case MessageType::await: {
    const uint64_t what = script.below(4);
    return tell<AwaitMessage>(what == 2 ? uint64_t{0} : uint64_t{1},
                              static_cast<uint64_t>(node.self) << id_node_shift | (1 + script.byte()), what);
  }
  case MessageType::quiesce:
    return tell<QuiesceMessage>(uint64_t{1});
  case MessageType::change: {
    const uint64_t what = script.below(6);
    const uint64_t begin = what == 0 || what == 2 ? 0 : what == 1 ? handle(script) - SKEIN_SHARED_BASE : handle(script);
    return tell<ChangeMessage>(uint64_t{1}, what, begin, uint64_t{4096} * (1 + script.below(4)),
                               uint64_t{1} + script.below(3), uint64_t{script.below(3)});
  }
  case MessageType::range: {
    const uint64_t what = script.below(6), pages = 4096 * (1 + script.below(16));
    return tell<RangeMessage>(uint64_t{1}, what,
                              what < 2 ? slice / 2 + pages : slice_of(peer()) + slice / 4 * 3 + pages, uint64_t{4096},
                              uint64_t{script.below(4)});
  }
  case MessageType::peer:
    return tell<PeerMessage>(uint64_t{1}, uint64_t{script.below(2)}, reinterpret_cast<uint64_t>(memory),
                             uint64_t{script.byte()});
  case MessageType::detach:
    return tell<DetachMessage>(id(script, node.self));
  case MessageType::parcel: {
    Bytes data;
    for (size_t left = 1 + script.below(4); left > 0; left--) {
      const auto what = static_cast<ParcelWhat>(script.below(4));
      const ParcelEntry entry = {address(script), what == ParcelWhat::operate ? 8 : 1u + script.byte(), what,
                                 static_cast<uint8_t>(what == ParcelWhat::operate ? script.below(14)
                                                      : what == ParcelWhat::fill  ? script.byte()
                                                                                  : 0),
                                 0};
      const auto *from = reinterpret_cast<const unsigned char *>(&entry);
      data.insert(data.end(), from, from + sizeof entry);
      data.resize(data.size() + parcel_request_bytes(entry));
    }
    return make(ParcelMessage{{}, 1}, data.data(), data.size());
  }
  case MessageType::agree:
    return tell<AgreeMessage>(uint64_t{1} + script.byte(), uint64_t{script.byte()});
  case MessageType::stand:
    return tell<StandMessage>(uint64_t{1} + script.byte());
  case MessageType::cancel:
    return tell<CancelMessage>(id(script, static_cast<int>(script.below(2))));
  case MessageType::channel: {
    const uint64_t operation = script.below(SKEIN_CHANNEL_LEND + 1);
    if (operation == SKEIN_CHANNEL_LEND) { // nobody's memory: another process of the system is left alone
      const LentPlace place = {script.below(2) ? static_cast<uint64_t>(getpid()) : uint64_t{INT32_MAX},
                               reinterpret_cast<uint64_t>(memory)};
      return make(ChannelMessage{{}, 1u + script.byte(), channel(script), operation, 1 + script.below(64), 0}, &place,
                  sizeof place);
    }
    const bool makes = operation == SKEIN_CHANNEL_CREATE, fills = operation == SKEIN_CHANNEL_FILL;
    size_t bytes = operation == SKEIN_CHANNEL_SEND ? script.below(100) : 0;
    for (uint64_t count = fills ? script.below(4) : 0; count; count--) {
      const uint64_t length = script.below(50);
      if (bytes + fill_bytes(length) > sizeof memory)
        break;
      memcpy(memory + bytes, &length, sizeof length);
      bytes += fill_bytes(length);
    }
    return make(ChannelMessage{{},
                               1u + script.byte(),
                               !makes            ? channel(script)
                               : script.below(2) ? 0
                                                 : id(script, peer()),
                               operation,
                               bytes   ? bytes
                               : fills ? 0
                                       : script.below(64),
                               makes || fills    ? script.below(2)
                               : script.below(2) ? 0
                               : script.below(2) ? UINT64_MAX
                                                 : script.word() % 1000000},
                memory, bytes);
  }
  case MessageType::offer: {
    const auto sends = static_cast<uint32_t>(script.below(2));
    const size_t bytes = script.below(100);
    return make(
        OfferMessage{{}, channel(script), 1u + script.below(8), bytes, static_cast<uint32_t>(script.below(4)), sends},
        memory, sends ? bytes : 0);
  }
  case MessageType::attempt: {
    const auto code = static_cast<uint32_t>(script.below(3) ? 0 : script.below(13));
    const size_t bytes = script.below(100);
    return make(AttemptMessage{{},
                               1u + script.byte(),
                               1u + script.below(8),
                               script.below(12),
                               bytes,
                               static_cast<uint32_t>(script.below(4)),
                               code},
                memory, code ? 0 : bytes);
  }
  case MessageType::withdraw:
    return tell<WithdrawMessage>(channel(script), uint64_t{1} + script.below(8));
  case MessageType::trace_classes:
    return tell<TraceClassesMessage>(uint64_t{script.byte()} << script.below(2));
  case MessageType::clock:
    return tell<ClockMessage>(script.word());
  case MessageType::clock_told:
    return tell<ClockToldMessage>(script.word(), script.word());
  }
  fprintf(stderr, "node_messages: there is no example of a '%s' message\n", message_name(static_cast<uint8_t>(type)));
  abort();
}

uint64_t interesting(Script &script, uint64_t was) {
  switch (script.below(7)) {
  case 0:
    return 0;
  case 1:
    return ~UINT64_C(0) >> script.below(64);
  case 2:
    return was + script.byte() - 128;
  case 3:
    return UINT64_C(1) << script.below(64);
  case 4:
    return handle(script);
  case 5:
    return UINT64_C(5000) << id_node_shift | script.byte();
  default:
    return script.word();
  }
}

void change(Script &script, Bytes &message) {
  constexpr size_t body = sizeof(MessageHeader);
  for (size_t times = 1 + script.below(3); times > 0; times--) {
    const size_t width = UINT64_C(1) << script.below(4);
    if (script.below(8) == 0) {
      message.resize(body + (script.byte() | script.byte() << 8) % (message.size() + 32 - body));
    } else if (script.below(16) == 0) {
      message[script.below(8)] = script.byte();
    } else if (message.size() >= body + width) {
      const size_t at =
          body + (script.byte() | script.byte() << 8) % (message.size() - body - width + 1) / width * width;
      uint64_t value = 0;
      memcpy(&value, message.data() + at, width);
      value = interesting(script, value);
      memcpy(message.data() + at, &value, width);
    }
  }
}

// --- what the node begins --------------------------------------------------------------------------------------------

void done(uint64_t) {}

bool caches; // it has copies of the peer's memory; then its messages wait for writes, and few are handled at once
uint64_t cached() { return slice_of(peer()) + (64 << 10); }

void act(Script &script) {
  const uint64_t there = slice_of(peer()) + 4160 + 8 * script.below(64), bytes = 1 + script.byte() * 8;
  const auto here = reinterpret_cast<uint64_t>(memory);
  static long outside;
  switch (script.below(9)) {
  case 0:
    if (threads_living() < 200) {
      Thread *thread = fixture::make_thread(fixture::next_id(), &outside);
      thread_announce(thread);
      Refusal why;
      Order order;
      order.pending = pending_new();
      if (!exchange_ship(thread, peer(), false, order, why))
        thread_abandon(thread);
    }
    break;
  case 1:
    access_begin(AccessKind::get, here, there, bytes, pending_new(), done, 0);
    break;
  case 2:
    access_begin(AccessKind::put, there, here, bytes, pending_new(), done, 0);
    break;
  case 3:
    access_begin(AccessKind::copy, there + 4096, there, bytes, pending_new(), done, 0);
    break;
  case 4:
    access_begin(AccessKind::set, there, 7, bytes, pending_new(), done, 0);
    break;
  case 5:
    steal_for_policy(peer(), static_cast<uint32_t>(script.below(4)), 0);
    break;
  case 6:
    if (threads_living() < 200) {
      Thread *thread = fixture::make_thread(fixture::next_id(), &outside);
      thread_announce(thread);
      thread_ready(thread);
    }
    break;
  case 7: { // what is written is kept back; then something leaves
    const uint64_t at = cached() + 8 * script.below(512);
    Thread *next;
    if (caches) {
      skein_shared_prefetch_call(nullptr, at, bytes);
      static Thread nobody;
      cache_write(&nobody, at, here, 1 + script.below(64), next);
      cache_release([](void *) {}, nullptr);
    }
    break;
  }
  default:
    outbox_flush(true);
    termination_tick(clock_ns());
  }
}

} // namespace

extern "C" int skein_outside_reply(skein_message *message, const void *data, size_t bytes);
SKEIN_HANDLER(echo, message) { skein_outside_reply(message, message->data, message->bytes); }

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  const char *as = getenv("SKEIN_FUZZ_NODE");
  lone_node::on_sent = note;
  lone_node::start(as && *as == '1');
  if ((caches = node.self == 1))
    cache_set(cached(), 8192, CacheMode::back);
  for (size_t i = 0; i < 6; i++)
    if (!channel_new(i % 3))
      abort();
  static long outside;
  for (int i = 0; i < 2; i++) {
    Thread *thread = i ? thread_new() : fixture::make_thread(fixture::next_id(), &outside);
    if (i) {
      bundle_enter(thread, bundle_root);
      thread->start.function = store;
    }
    Buffer buffer;
    Refusal why;
    if (!image_capture(*thread, buffer, why))
      abort();
    images.emplace_back(buffer.data(), buffer.data() + buffer.size());
    bundle_leave(thread);
    thread_unlist(thread);
    thread_delete(thread);
  }
  atexit([] { printf("messages: %llu\n", static_cast<unsigned long long>(delivered)); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Script script = {data, data + size};
  for (int steps = 0; !script.over() && steps < 500; steps++) {
    const uint8_t what = script.byte();
    if (what % 4 == 0) {
      act(script);
      continue;
    }
    const uint8_t types = static_cast<uint8_t>(MessageType::last);
    uint8_t type = 1 + script.byte() % types;
    if (!strcmp(message_name(type), "unknown")) // there is none of that number
      type = static_cast<uint8_t>(MessageType::reply);
    Bytes next = what % 4 == 1 ? answer(script) : message(script, static_cast<MessageType>(type));
    if (script.below(4) == 0)
      change(script, next);
    deliver(next);
    delivered++;
    if (!rejected.empty()) {
      bury();
      meet();
    }
  }
  bury();
  meet();
  return 0;
}
