// The messages that nodes exchange, byte for byte (docs/wire-format.md explains them; test/unit/net has the golden
// bytes).
//
// Little-endian, every part 8-aligned, nothing but fixed-width integers. A message is one block:
//
//     +----------------------+
//     | MessageHeader        |  16 bytes: version, type, sender, proof
//     +----------------------+
//     | body of that type    |
//     +----------------------+
//     | data of that type    |  images, ids, text: as many bytes as are left
//     +----------------------+
//
// A *call* is a message that is answered by `reply` (or by `threads` and `nothing`, for a steal); its number means
// something only to the node that asked.
#ifndef SKEIN_NET_MESSAGES_H
#define SKEIN_NET_MESSAGES_H

#include "net/bootstrap.h"

#include <cstdint>

namespace skein {

inline constexpr uint8_t message_version = 5;

enum class MessageType : uint8_t {
  hello = 1,       // the first message to each peer: the run's token
  heartbeat,       // membership
  threads,         // exchange: images
  verdict,         // exchange: which of them were accepted, at once
  steal,           // stealing: send me some
  nothing,         // stealing: I have none
  policy,          // steals: what a balancing policy tells itself on another node
  ended,           // births: threads born at you have ended
  moved,           // births: threads born at you live elsewhere now
  slot,            // stacks of strategy reserve: your slot is free
  join,            // call: answer when that thread has ended
  global,          // mostly a call: an operation on a global object
  global_create,   // call
  statistics = 15, // call
  count,           // termination: tell me your counters
  counted,         // termination: here they are
  quiet,           // termination: nothing lives here, or at rest at last (hints); to others: main has returned
  main_ended,      // termination: main has returned, away from node 0
  allocate,        // call: shared memory
  release,         // call: shared memory
  get,             // call: shared memory
  put,             // call: shared memory
  reply,           // to a call
  stealing,        // stealing: switched on or off for the whole run
  wanted,          // births: somebody waits for the end of threads that live at you
  regions,         // private memory: regions of your slice are free again
  request,         // active: run this handler
  credits,         // active: so many of your requests were handled
  await,           // pending: answer when it has ended
  quiesce,         // call, termination: answer when the run is at rest
  fill,            // call: shared memory
  change,          // call: ranges of shared memory
  range,           // call: ranges of shared memory
  peer,            // call: memory of another process
  detach,          // births: nobody wants the result of a thread born at you
  arrived,         // exchange: all threads of these shipments were accepted
  parcel,          // call: shared memory, small accesses
  cancel,          // births: a thread, perhaps at you, is to end
  last = cancel,
};

struct MessageHeader {
  uint8_t version;
  uint8_t type;   // MessageType
  uint16_t from;  // node
  uint32_t plain; // 1: it tells nobody of anything that a thread did before (dsm/cache.h)
  uint64_t proof; // keyed with the run's token, sender and receiver; see link.cpp
};
static_assert(sizeof(MessageHeader) == 16);

struct HelloMessage {
  static constexpr MessageType type = MessageType::hello;
  MessageHeader header;
  uint8_t token[bootstrap::token_bytes];
  uint32_t abi_version;
  uint32_t image_version;
  uint64_t stack_geometry; // has to be equal under strategy reserve
  uint64_t image_begin;    // load address of the sender's program
  uint8_t build_id[20];    // of that program: who has another one has other handlers
  uint32_t reserved;
};
static_assert(sizeof(HelloMessage) == 80);

struct HeartbeatMessage {
  static constexpr MessageType type = MessageType::heartbeat;
  MessageHeader header;
  uint64_t living; // threads on the sender
};

// The images follow, each header.bytes long and 8-aligned; then numbers of shipments of the receiver, 8 bytes each,
// that have arrived at the sender, all threads of them.
struct ThreadsMessage {
  static constexpr MessageType type = MessageType::threads;
  MessageHeader header;
  uint64_t shipment; // the sender's number of this load
  uint64_t request;  // the call it answers, 0 for a push
  uint32_t count;    // images
  uint32_t arrived;  // shipments of the receiver
  uint32_t go_on;    // 1: they may leave again before they have run there
  uint32_t awaited;  // 1: somebody waits for the verdict
  uint32_t answer;   // in the last part of the answer to a steal: images in all of them; else 0
  uint32_t reserved;
};
static_assert(sizeof(ThreadsMessage) == 56);

struct VerdictMessage {
  static constexpr MessageType type = MessageType::verdict;
  MessageHeader header;
  uint64_t shipment;
  uint32_t refused; // so many Refused follow; all other threads of the shipment have arrived
  uint32_t reserved;
};
struct RefusedThread {
  uint32_t index; // in the shipment
  int32_t code;   // SKEIN_E*
  uint32_t fault; // ImageFault
  uint32_t reserved;
  char text[240]; // NUL-terminated
};
static_assert(sizeof(VerdictMessage) == 32 && sizeof(RefusedThread) == 256);
struct ArrivedMessage { // uint64_t numbers of shipments follow
  static constexpr MessageType type = MessageType::arrived;
  MessageHeader header;
};

struct StealMessage {
  static constexpr MessageType type = MessageType::steal;
  MessageHeader header;
  uint64_t request;
  uint64_t sent_ns;   // CLOCK_MONOTONIC of the sender, for steal_answer_ns_max (nodes of one host share the clock)
  uint32_t most;      // so many threads; 0: as the victim thinks fit
  uint32_t what;      // skein_wanted (skein/bundle.h)
  uint32_t bundle;    // its number in the program and 1; 0: any
  uint32_t by_policy; // 1: nobody's wish, and nothing is given while balancing is switched off here
};
struct NothingMessage {
  static constexpr MessageType type = MessageType::nothing;
  MessageHeader header;
  uint64_t request;
};
struct PolicyMessage { // the policy's data follows
  static constexpr MessageType type = MessageType::policy;
  MessageHeader header;
};
struct StealingMessage {
  static constexpr MessageType type = MessageType::stealing;
  MessageHeader header;
  uint64_t on;
};

/// What a thread's function returned, wherever it is read.
enum class WireResultKind : uint32_t { none, integer, pointer, real, image }; // image: an offset in the program
struct WireResult {
  uint64_t value;
  uint32_t kind;  // WireResultKind
  uint32_t taken; // 1: who waited where the thread ended has got it
};
static_assert(sizeof(WireResult) == 16);
struct EndedThread {
  uint64_t thread;
  WireResult result;
};
struct EndedMessage { // EndedThreads follow
  static constexpr MessageType type = MessageType::ended;
  MessageHeader header;
};
struct MovedThread {
  uint64_t thread;
  uint32_t to;
  uint32_t moves; // how often it has moved so far; the largest is the latest
};
struct MovedMessage { // MovedThreads follow
  static constexpr MessageType type = MessageType::moved;
  MessageHeader header;
};
struct WantedMessage { // uint64_t ids follow
  static constexpr MessageType type = MessageType::wanted;
  MessageHeader header;
};
struct RegionsMessage { // FreedRegions follow (private/regions.h)
  static constexpr MessageType type = MessageType::regions;
  MessageHeader header;
};
struct SlotMessage {
  static constexpr MessageType type = MessageType::slot;
  MessageHeader header;
  uint64_t slot;
};

// Calls. `call` first, so that whoever answers needs to know no more.
struct CallHeader {
  MessageHeader header;
  uint64_t call;
};
struct DetachMessage {
  static constexpr MessageType type = MessageType::detach;
  MessageHeader header;
  uint64_t thread;
};
struct CancelMessage {
  static constexpr MessageType type = MessageType::cancel;
  MessageHeader header;
  uint64_t thread;
};
struct JoinMessage { // the reply's data is a WireResult
  static constexpr MessageType type = MessageType::join;
  MessageHeader header;
  uint64_t call;
  uint64_t thread;
};
struct GlobalMessage { // its data follows, and is the reply's
  static constexpr MessageType type = MessageType::global;
  MessageHeader header;
  uint64_t call; // 0: it is not answered
  uint64_t object;
  uint64_t operation; // SKEIN_GLOBAL_* (<skein/global.h>), its argument << 16
  uint64_t thread;    // for whom
};
struct GlobalCreateMessage { // the reply's data is the object, 8 bytes
  static constexpr MessageType type = MessageType::global_create;
  MessageHeader header;
  uint64_t call;
  uint64_t kind;
  uint64_t value;
  uint64_t together; // parties; if more than one, of a collective with the key in the upper 48 bits
};
struct StatisticsMessage { // the reply's data is a struct skein_statistics
  static constexpr MessageType type = MessageType::statistics;
  MessageHeader header;
  uint64_t call;
};
struct AllocateMessage { // the reply's value is the address, 0 with text
  static constexpr MessageType type = MessageType::allocate;
  MessageHeader header;
  uint64_t call;
  uint64_t bytes;
};
struct ReleaseMessage {
  static constexpr MessageType type = MessageType::release;
  MessageHeader header;
  uint64_t call;
  uint64_t address;
};
struct GetMessage { // the reply's data is the bytes
  static constexpr MessageType type = MessageType::get;
  MessageHeader header;
  uint64_t call;
  uint64_t address;
  uint64_t bytes;
};
struct PutMessage { // the bytes follow
  static constexpr MessageType type = MessageType::put;
  MessageHeader header;
  uint64_t call;
  uint64_t address;
  uint64_t bytes;
};
struct FillMessage {
  static constexpr MessageType type = MessageType::fill;
  MessageHeader header;
  uint64_t call;
  uint64_t address;
  uint64_t bytes;
  uint64_t byte;
};
/// Small accesses of several threads (dsm/parcels.h): entries, each followed by what it brings along. The reply's data
/// is a result for each, in order, followed by what it gives. Everything is padded to a multiple of 8.
struct ParcelMessage {
  static constexpr MessageType type = MessageType::parcel;
  MessageHeader header;
  uint64_t call;
};
enum class ParcelWhat : uint8_t {
  get,     // gives the bytes
  put,     // brings them
  operate, // brings operand and expected value, 8 bytes each (16 each if it is of 16); gives what was there, as much
};
struct ParcelEntry {
  uint64_t address;
  uint32_t bytes;
  ParcelWhat what;
  uint8_t operation; // SKEIN_ATOMIC_* (abi/entry_points.h)
  uint16_t reserved;
};
struct ParcelResult {
  uint32_t bytes; // that follow
  uint32_t code;  // SKEIN_E*, not SKEIN_OK: they are words that say why
};
static_assert(sizeof(ParcelMessage) == 24 && sizeof(ParcelEntry) == 16 && sizeof(ParcelResult) == 8);
inline constexpr uint64_t parcel_padded(uint64_t bytes) { return (bytes + 7) & ~UINT64_C(7); }
inline constexpr uint64_t parcel_word(uint64_t bytes) { return bytes == 16 ? 16 : 8; } // of an operation
enum class RangeChange : uint64_t {
  array,       // the same range in every slice: to be opened, and
  array_close, // closed
  map,         // pages of the receiver's slice
  protect,
  unmap,
  cache, // how it is cached: `detail` is a SKEIN_CACHE_* (<skein/shared_cache.h>)
};
struct ChangeMessage { // to the leader; the reply's data is the address, 8 bytes
  static constexpr MessageType type = MessageType::change;
  MessageHeader header;
  uint64_t call;
  uint64_t what; // RangeChange
  uint64_t begin;
  uint64_t bytes;
  uint64_t detail; // protect: PROT_*; array: parties of a collective
  uint64_t key;    // array: of a collective, if there is more than one party
};
struct RangeMessage { // from the leader; answered when it has been done
  static constexpr MessageType type = MessageType::range;
  MessageHeader header;
  uint64_t call;
  uint64_t what; // RangeChange
  uint64_t begin;
  uint64_t bytes;
  uint64_t protection;
};
enum class PeerCopy : uint64_t { who, read, write };
struct PeerMessage { // the bytes of a write follow, those of a read are the reply's data
  static constexpr MessageType type = MessageType::peer;
  MessageHeader header;
  uint64_t call;
  uint64_t what; // PeerCopy; who: the reply's value is the process's number
  uint64_t address;
  uint64_t bytes;
};
struct ReplyMessage { // data or text follows
  static constexpr MessageType type = MessageType::reply;
  MessageHeader header;
  uint64_t call;
  uint64_t value;
};

struct RequestMessage { // its data follows
  static constexpr MessageType type = MessageType::request;
  MessageHeader header;
  uint32_t handler; // place in the program's table of handlers; from 2^31: one of the runtime's (active.h)
  uint32_t reserved;
  uint64_t call; // 0: it is not answered
};
static_assert(sizeof(RequestMessage) == 32); // so that what follows is 16-aligned, as a reply's data is
struct CreditsMessage {
  static constexpr MessageType type = MessageType::credits;
  MessageHeader header;
  uint64_t credits;
};

enum class AwaitWhat : uint64_t { end, test, nothing, answer };
struct AwaitMessage {
  static constexpr MessageType type = MessageType::await;
  MessageHeader header;
  uint64_t call; // 0 for `nothing`
  uint64_t pending;
  uint64_t what; // AwaitWhat. test: the reply's value is 1 if it has ended; nothing: nobody will wait for it; answer:
                 // `pending` is a call of the receiver that a thread left behind, which is here now (awaits.h)
};
struct QuiesceMessage {
  static constexpr MessageType type = MessageType::quiesce;
  MessageHeader header;
  uint64_t call;
};

struct CountMessage {
  static constexpr MessageType type = MessageType::count;
  MessageHeader header;
  uint64_t round;
};
struct CountedMessage {
  static constexpr MessageType type = MessageType::counted;
  MessageHeader header;
  uint64_t round;
  uint64_t living; // threads
  uint64_t dead;   // nodes, as far as the sender knows
  uint64_t sent;   // messages, to and from living nodes, but those of which it does not depend what threads do (link.h)
  uint64_t handled;
  uint64_t at_rest; // 1: no thread runs here or is ready
};
struct QuietMessage {
  static constexpr MessageType type = MessageType::quiet;
  MessageHeader header;
};
struct MainEndedMessage {
  static constexpr MessageType type = MessageType::main_ended;
  MessageHeader header;
  int64_t status;
};

} // namespace skein

#endif
