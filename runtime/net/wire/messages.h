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
//
// A peer knows the run's token, but it may be damaged, or older, or another program that got hold of the token. So each
// message has a `check`, which judges everything about it that can be judged without knowing what this node is doing:
// sizes, ranges, numbers of nodes, ids, enumerators, words that must be 0. The link calls it before any handler
// (link_receiving.cpp), and link_handle does not compile for a message without one. Handlers judge what depends on this
// node's state and call link_reject. Either way the sender is treated as dead from then on.
#ifndef SKEIN_NET_WIRE_MESSAGES_H
#define SKEIN_NET_WIRE_MESSAGES_H

#include "base/lent_place.h"
#include "net/wire/bootstrap.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <skein/policy.h>

namespace skein {

inline constexpr uint8_t message_version = 16;

enum class MessageType : uint8_t {
  hello = 1,       // the first message to each peer: a proof that the sender knows the run's token
  heartbeat,       // membership
  threads,         // exchange: images
  verdict,         // exchange: which of them were accepted, at once
  steal,           // stealing: send me some
  nothing,         // stealing: I have none
  policy,          // steals: what a balancing policy tells itself on another node
  ended,           // births: threads born at you have ended
  moved,           // births: threads born at you live elsewhere now
  slot,            // stacks: your slot is free
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
  reply = 24,      // to a call
  stealing,        // stealing: switched on or off for the whole run
  wanted,          // births: somebody waits for the end of threads that live at you
  regions,         // private memory: regions of your slice are free again
  request,         // active: run this handler
  credits,         // active: so many of your requests were handled
  await,           // pending: answer when it has ended
  quiesce,         // call, termination: answer when the run is at rest
  change = 33,     // call: ranges of shared memory
  range,           // call: ranges of shared memory
  peer,            // call: memory of another process
  detach,          // births: nobody wants the result of a thread born at you
  arrived,         // exchange: all threads of these shipments were accepted
  parcel,          // call: accesses to shared memory
  cancel,          // births: a thread, perhaps at you, is to end
  agree,           // call, agreement: this node's value
  stand,           // call, termination: no thread can go on; report which threads wait at the receiver
  channel,         // call: a thread sends to a channel, receives from it, closes or makes it
  offer,           // channels: a case of an alternative stands in a channel of yours
  attempt,         // call, channels: may this case of an alternative of yours happen?
  withdraw,        // channels: a case that was offered stands no more
  trace_classes,   // tracing: classes of events to be recorded
  clock,           // tracing: what time is it?
  clock_told,      // tracing: here it is
  claim,           // call: a region of your slice, for a thread that is made of an image
  informed,        // arriving: I have told you all that a node which joins a run has to know
  farewell,        // leaving: how many messages came before this one
  estate,          // call, leaving: what I have kept for others is yours
  seal_key,        // pack: the key of this run's images, to a node that joins a run which is made of a checkpoint
  coming,          // exchange: a thread is about to come that leaves most of its memory behind
  readable,        // lent_memory: can you read memory of mine; yes, or no
  last = readable,
};
/// "range"; "unknown" if there is none of that number.
const char *message_name(uint8_t type);

/// What a check finds wrong, in words that follow "a malformed 'range' message: ".
struct Complaint {
  char text[160];
  /// Always false, so that a check can return it.
  bool say(const char *format, ...) __attribute__((format(printf, 2, 3), cold));
};
/// What can be handled: it has a type and a check.
template <class T>
concept CheckedMessage = requires(const T &message, Complaint &wrong) {
  { T::type } -> std::convertible_to<MessageType>;
  { T::check(message, size_t{}, wrong) } -> std::same_as<bool>;
};

/// Whether messages of this type are about something that the receiver keeps for others, so that they go to its heir
/// once the receiver has left the run.
constexpr bool goes_to_keeper(uint8_t type) {
  switch (static_cast<MessageType>(type)) {
  case MessageType::ended:
  case MessageType::moved:
  case MessageType::slot:
  case MessageType::join:
  case MessageType::global:
  case MessageType::global_create:
  case MessageType::allocate:
  case MessageType::release:
  case MessageType::regions:
  case MessageType::change:
  case MessageType::detach:
  case MessageType::parcel:
  case MessageType::cancel:
  case MessageType::channel:
  case MessageType::offer:
  case MessageType::withdraw:
  case MessageType::claim:
  case MessageType::await: // but not AwaitWhat::answer, which is about a call of the receiver
    return true;
  default:
    return false;
  }
}

// Limits that both sides keep to.
inline constexpr int error_most = SKEIN_ELEAVES;               // the last code of an error
inline constexpr uint32_t shipment_most = 1024;                // threads in one
inline constexpr uint32_t arrived_most = 16;                   // numbers of shipments in a message
inline constexpr uint32_t batch_most = 256;                    // ends, moves, wishes, regions in a message
inline constexpr uint64_t copy_piece_most = UINT64_C(4) << 20; // bytes of one access to shared memory or a peer's
inline constexpr uint32_t parcel_most = 4096;                  // bytes of entries in a parcel, and of results
inline constexpr uint64_t parcel_access_most = 512;            // bytes of one access that is not alone in it
inline constexpr uint64_t policy_most = SKEIN_POLICY_MOST;     // bytes of a policy's own message
inline constexpr uint64_t estate_most = UINT64_C(1) << 20;     // bytes of a piece of an estate

struct MessageHeader {
  uint8_t version;
  uint8_t type;   // MessageType
  uint16_t from;  // node
  uint16_t plain; // 1: nobody learns from it what a thread has done before (dsm/cache.h)
  uint16_t trace; // its number among those that are recorded, modulo 2^16; 0: it is not
  uint64_t proof; // keyed with the run's token, sender and receiver; see link_hello.cpp
};
static_assert(sizeof(MessageHeader) == 16);
/// What each kind of message begins with.
template <MessageType Type> struct Message {
  static constexpr MessageType type = Type;
  MessageHeader header;
};

struct HelloMessage : Message<MessageType::hello> {
  // SipHash under the run's token of three 32-bit words: 0, sender, receiver, then 1, sender, receiver.
  uint8_t token_proof[16];
  uint32_t abi_version;
  uint32_t image_version;
  uint64_t stack_geometry; // equal: slots are unique over both; has to be under strategy reserve
  uint64_t image_begin;    // load address of the sender's program
  uint64_t modules;        // equal: that, all libraries and the vdso lie at the same addresses (migrate/modules.h)
  uint8_t build_id[20];    // of that program; with another one the handlers of messages are others
  uint32_t reserved;
  static bool check(const HelloMessage &message, size_t data_bytes, Complaint &wrong);
};
static_assert(sizeof(HelloMessage) == 88);

struct HeartbeatMessage : Message<MessageType::heartbeat> {
  uint64_t living; // threads on the sender
  static bool check(const HeartbeatMessage &message, size_t data_bytes, Complaint &wrong);
};

// The images follow, each header.bytes long and 8-aligned; then numbers of shipments of the receiver, 8 bytes each,
// that have arrived at the sender, all threads of them.
struct ThreadsMessage : Message<MessageType::threads> {
  uint64_t shipment; // the sender's number of this load
  uint64_t request;  // the call it answers, 0 for a push
  uint32_t count;    // images
  uint32_t arrived;  // shipments of the receiver
  uint32_t go_on;    // 1: they may leave again before they have run there
  uint32_t awaited;  // 1: somebody waits for the verdict
  uint32_t answer;   // in the last part of the answer to a steal: images in all of them; else 0
  uint32_t reserved;
  static bool check(const ThreadsMessage &message, size_t data_bytes, Complaint &wrong);
};
static_assert(sizeof(ThreadsMessage) == 56);

struct VerdictMessage : Message<MessageType::verdict> {
  uint64_t shipment;
  uint32_t refused; // so many Refused follow; all other threads of the shipment have arrived
  uint32_t reserved;
  static bool check(const VerdictMessage &message, size_t data_bytes, Complaint &wrong);
};
struct RefusedThread {
  uint32_t index; // in the shipment
  int32_t code;   // SKEIN_E*
  uint32_t fault; // ImageFault
  uint32_t reserved;
  char text[240]; // NUL-terminated
};
static_assert(sizeof(VerdictMessage) == 32 && sizeof(RefusedThread) == 256);
struct ComingMessage : Message<MessageType::coming> {
  static bool check(const ComingMessage &message, size_t data_bytes, Complaint &wrong);
};
enum class Readable : uint64_t { asked, yes, no };
/// Whether the receiver can read what the sender lends; an answer has the place of the question.
struct ReadableMessage : Message<MessageType::readable> {
  LentPlace place;
  uint64_t is; // Readable
  static bool check(const ReadableMessage &message, size_t data_bytes, Complaint &wrong);
};
struct ArrivedMessage : Message<MessageType::arrived> { // uint64_t numbers of shipments follow
  static bool check(const ArrivedMessage &message, size_t data_bytes, Complaint &wrong);
};

struct StealMessage : Message<MessageType::steal> {
  uint64_t request;
  uint64_t sent_ns;   // CLOCK_MONOTONIC of the sender, for steal_answer_ns_max (nodes of one host share the clock)
  uint32_t most;      // so many threads; 0: as the victim thinks fit
  uint32_t what;      // skein_wanted (skein/bundle.h)
  uint32_t bundle;    // its number in the program and 1; 0: any
  uint32_t by_policy; // 1: a policy asks, and gets nothing while balancing is switched off here
  static bool check(const StealMessage &message, size_t data_bytes, Complaint &wrong);
};
struct NothingMessage : Message<MessageType::nothing> {
  uint64_t request;
  static bool check(const NothingMessage &message, size_t data_bytes, Complaint &wrong);
};
struct PolicyMessage : Message<MessageType::policy> { // the policy's data follows
  uint64_t policy;                                    // a hash of its name
  static bool check(const PolicyMessage &message, size_t data_bytes, Complaint &wrong);
};
struct StealingMessage : Message<MessageType::stealing> {
  uint64_t on;
  uint64_t policy; // a hash of the name of the policy that is in force from here on; 0: the one that is
  static bool check(const StealingMessage &message, size_t data_bytes, Complaint &wrong);
};

/// What a thread's function returned, wherever it is read.
enum class WireResultKind : uint32_t { none, integer, pointer, real, image }; // image: an offset in the program
struct WireResult {
  uint64_t value;
  uint32_t kind;  // WireResultKind
  uint32_t taken; // 1: a thread that waited where this one ended has got it
};
static_assert(sizeof(WireResult) == 16);
struct EndedThread {
  uint64_t thread;
  WireResult result;
};
struct EndedMessage : Message<MessageType::ended> { // EndedThreads follow
  static bool check(const EndedMessage &message, size_t data_bytes, Complaint &wrong);
};
struct MovedThread {
  uint64_t thread;
  uint32_t to;
  uint32_t moves; // how often it has moved so far; the largest is the latest
};
struct MovedMessage : Message<MessageType::moved> { // MovedThreads follow
  static bool check(const MovedMessage &message, size_t data_bytes, Complaint &wrong);
};
struct WantedMessage : Message<MessageType::wanted> { // uint64_t ids follow
  static bool check(const WantedMessage &message, size_t data_bytes, Complaint &wrong);
};
struct RegionsMessage : Message<MessageType::regions> { // FreedRegions follow (private/regions/regions.h)
  static bool check(const RegionsMessage &message, size_t data_bytes, Complaint &wrong);
};
struct SlotMessage : Message<MessageType::slot> {
  uint64_t slot;
  static bool check(const SlotMessage &message, size_t data_bytes, Complaint &wrong);
};

// Calls. `call` is first in all of them.
struct DetachMessage : Message<MessageType::detach> {
  uint64_t thread;
  static bool check(const DetachMessage &message, size_t data_bytes, Complaint &wrong);
};
struct CancelMessage : Message<MessageType::cancel> {
  uint64_t thread;
  static bool check(const CancelMessage &message, size_t data_bytes, Complaint &wrong);
};
struct JoinMessage : Message<MessageType::join> { // the reply's data is a WireResult
  uint64_t call;
  uint64_t thread;
  static bool check(const JoinMessage &message, size_t data_bytes, Complaint &wrong);
};
struct GlobalMessage : Message<MessageType::global> { // its data follows, and is the reply's
  uint64_t call;                                      // 0: it is not answered
  uint64_t object;
  uint64_t operation; // SKEIN_GLOBAL_* (<skein/global.h>), its argument << 16
  uint64_t thread;    // the thread for which it is done
  static bool check(const GlobalMessage &message, size_t data_bytes, Complaint &wrong);
};
struct GlobalCreateMessage : Message<MessageType::global_create> { // the reply's data is the object, 8 bytes
  uint64_t call;
  uint64_t kind;
  uint64_t value;
  uint64_t together; // parties; if more than one, of a collective with the key in the upper 48 bits
  uint64_t home;     // the node on which it is made: the receiver, or one whose heir that is
  static bool check(const GlobalCreateMessage &message, size_t data_bytes, Complaint &wrong);
};
struct StatisticsMessage : Message<MessageType::statistics> { // the reply's data is a struct skein_statistics
  uint64_t call;
  static bool check(const StatisticsMessage &message, size_t data_bytes, Complaint &wrong);
};
struct AllocateMessage : Message<MessageType::allocate> { // the reply's value is the address, 0 with text
  uint64_t call;
  uint64_t bytes;
  static bool check(const AllocateMessage &message, size_t data_bytes, Complaint &wrong);
};
struct ClaimMessage : Message<MessageType::claim> { // the reply's value is 1 if the sender has it now, else 0
  uint64_t call;
  uint64_t begin;
  uint64_t bytes; // of address space
  static bool check(const ClaimMessage &message, size_t data_bytes, Complaint &wrong);
};
struct ReleaseMessage : Message<MessageType::release> {
  uint64_t call;
  uint64_t address;
  static bool check(const ReleaseMessage &message, size_t data_bytes, Complaint &wrong);
};
/// Accesses to shared memory (dsm/parcels.h): small ones of several threads, or one of any size. Entries, each followed
/// by its operands. The reply's data is a result for each, in order, followed by the bytes it has read. Everything is
/// padded to a multiple of 8.
struct ParcelMessage : Message<MessageType::parcel> {
  uint64_t call;
  static bool check(const ParcelMessage &message, size_t data_bytes, Complaint &wrong);
};
enum class ParcelWhat : uint8_t {
  get,     // the result is the bytes
  put,     // the bytes follow the entry
  operate, // operand and expected value follow, 8 bytes each (16 each if it is of 16); the result is the old value
  fill,    // with the byte `operation`
};
struct ParcelEntry {
  uint64_t address;
  uint32_t bytes;
  ParcelWhat what;
  uint8_t operation; // SKEIN_ATOMIC_* (abi/entry_points.h), or the byte
  uint16_t reserved;
};
struct ParcelResult {
  uint32_t bytes; // that follow
  uint32_t code;  // SKEIN_E*, not SKEIN_OK: they are words that say why
};
static_assert(sizeof(ParcelMessage) == 24 && sizeof(ParcelEntry) == 16 && sizeof(ParcelResult) == 8);
inline constexpr uint64_t parcel_padded(uint64_t bytes) { return (bytes + 7) & ~UINT64_C(7); }
inline constexpr uint64_t parcel_word(uint64_t bytes) { return bytes == 16 ? 16 : 8; } // of an operation
/// How many bytes follow an entry, and how many follow its result.
inline constexpr uint64_t parcel_request_bytes(const ParcelEntry &entry) {
  return entry.what == ParcelWhat::put       ? parcel_padded(entry.bytes)
         : entry.what == ParcelWhat::operate ? 2 * parcel_word(entry.bytes)
                                             : 0;
}
inline constexpr uint64_t parcel_result_bytes(const ParcelEntry &entry) {
  return entry.what == ParcelWhat::get ? entry.bytes : entry.what == ParcelWhat::operate ? parcel_word(entry.bytes) : 0;
}
enum class RangeChange : uint64_t {
  array,       // the same range in every slice: to be opened, and
  array_close, // closed
  map,         // pages of the receiver's slice
  protect,
  unmap,
  cache, // how it is cached: `detail` is a SKEIN_CACHE_* (<skein/shared_cache.h>)
};
struct ChangeMessage : Message<MessageType::change> { // to the leader; the reply's data is the address, 8 bytes
  uint64_t call;
  uint64_t what; // RangeChange
  uint64_t begin;
  uint64_t bytes;
  uint64_t detail; // protect: PROT_*; array: parties of a collective
  uint64_t key;    // array: of a collective, if there is more than one party
  static bool check(const ChangeMessage &message, size_t data_bytes, Complaint &wrong);
};
struct RangeMessage : Message<MessageType::range> { // from the leader; answered when it has been done
  uint64_t call;
  uint64_t what; // RangeChange
  uint64_t begin;
  uint64_t bytes;
  uint64_t protection;
  static bool check(const RangeMessage &message, size_t data_bytes, Complaint &wrong);
};
enum class PeerCopy : uint64_t { who, read, write };
struct PeerMessage : Message<MessageType::peer> { // the bytes of a write follow, those of a read are the reply's data
  uint64_t call;
  uint64_t what; // PeerCopy; for `who` the reply's value is the process's number
  uint64_t address;
  uint64_t bytes;
  static bool check(const PeerMessage &message, size_t data_bytes, Complaint &wrong);
};
struct ReplyMessage : Message<MessageType::reply> { // data or text follows
  uint64_t call;
  uint64_t value;
  static bool check(const ReplyMessage &message, size_t data_bytes, Complaint &wrong);
};

struct RequestMessage : Message<MessageType::request> { // its data follows
  uint32_t handler; // place in the program's table of handlers; from 2^31: one of the runtime's (active.h)
  uint32_t reserved;
  uint64_t call; // 0: it is not answered
  static bool check(const RequestMessage &message, size_t data_bytes, Complaint &wrong);
};
static_assert(sizeof(RequestMessage) == 32); // so that what follows is 16-aligned, as a reply's data is
struct CreditsMessage : Message<MessageType::credits> {
  uint64_t credits;
  static bool check(const CreditsMessage &message, size_t data_bytes, Complaint &wrong);
};

enum class AwaitWhat : uint64_t { end, test, nothing, answer };
struct AwaitMessage : Message<MessageType::await> {
  uint64_t call; // 0 for `nothing`
  uint64_t pending;
  uint64_t what; // AwaitWhat. test: the reply's value is 1 if it has ended; nothing: nobody will wait for it; answer:
                 // `pending` is a call of the receiver that a thread left behind, which is here now (awaits.h)
  static bool check(const AwaitMessage &message, size_t data_bytes, Complaint &wrong);
};
struct QuiesceMessage : Message<MessageType::quiesce> {
  uint64_t call;
  static bool check(const QuiesceMessage &message, size_t data_bytes, Complaint &wrong);
};

struct AgreeMessage : Message<MessageType::agree> {
  uint64_t call;
  uint64_t value;
  static bool check(const AgreeMessage &message, size_t data_bytes, Complaint &wrong);
};

struct StandMessage : Message<MessageType::stand> {
  uint64_t call;
  static bool check(const StandMessage &message, size_t data_bytes, Complaint &wrong);
};

// What is sent follows, or what a channel is filled with; what was received is the reply's data.
struct ChannelMessage : Message<MessageType::channel> {
  uint64_t call;
  uint64_t channel;   // to be made: 0, or the handle of one that moves to the receiver
  uint64_t operation; // SKEIN_CHANNEL_* (abi/channel_calls.h)
  uint64_t bytes;     // that follow, or are lent; the room; of a new channel, the capacity
  // How long it waits; UINT64_MAX: for ever. Of a channel that moves (channels/homes.h): its patience; when it is
  // filled, 1 if it is closed.
  uint64_t left_ns;
  static bool check(const ChannelMessage &message, size_t data_bytes, Complaint &wrong);
};
/// A channel is filled with messages, each of which takes so many bytes: its length, 8, and the message, padded.
inline constexpr uint64_t fill_bytes(uint64_t length) { return 8 + ((length + 7) & ~UINT64_C(7)); }
struct OfferMessage : Message<MessageType::offer> { // what is sent follows
  uint64_t channel;
  uint64_t alternative; // its number at the sender
  uint64_t bytes;       // to be sent; the room
  uint32_t index;       // of the case
  uint32_t sends;       // 1: the case sends, 0: it receives
  static bool check(const OfferMessage &message, size_t data_bytes, Complaint &wrong);
};
// The message for a case that receives follows. The reply's value is 1 if the case has happened, 0 if not, 2: not now.
struct AttemptMessage : Message<MessageType::attempt> {
  uint64_t call;
  uint64_t alternative; // its number at the receiver
  uint64_t asking;      // the number of the one that the asking deal has claimed at the sender, or 0
  uint64_t bytes;       // of the message, also of one that does not follow since it is too long
  uint32_t index;       // of the case
  uint32_t code; // SKEIN_E*: the case happens with this, and no message follows; SKEIN_CHANNEL_AGAIN: `bytes` is the
                 // handle of the channel at its new home, where the case is to be offered
  static bool check(const AttemptMessage &message, size_t data_bytes, Complaint &wrong);
};
struct WithdrawMessage : Message<MessageType::withdraw> {
  uint64_t channel;
  uint64_t alternative; // 0: the channel, which has left the receiver, has been freed
  static bool check(const WithdrawMessage &message, size_t data_bytes, Complaint &wrong);
};

struct TraceClassesMessage : Message<MessageType::trace_classes> {
  uint64_t classes; // bits (trace/events.h)
  static bool check(const TraceClassesMessage &message, size_t data_bytes, Complaint &wrong);
};
struct ClockMessage : Message<MessageType::clock> { // to node 0
  uint64_t asked_ns;                                // CLOCK_MONOTONIC of the sender
  static bool check(const ClockMessage &message, size_t data_bytes, Complaint &wrong);
};
struct ClockToldMessage : Message<MessageType::clock_told> { // from node 0
  uint64_t asked_ns;                                         // as it was asked
  uint64_t there_ns;                                         // CLOCK_MONOTONIC of node 0
  static bool check(const ClockToldMessage &message, size_t data_bytes, Complaint &wrong);
};

struct CountMessage : Message<MessageType::count> {
  uint64_t round;
  static bool check(const CountMessage &message, size_t data_bytes, Complaint &wrong);
};
struct CountedMessage : Message<MessageType::counted> {
  uint64_t round;
  uint64_t living; // threads
  uint64_t view;   // which nodes are there, as far as the sender knows (link.h)
  uint64_t sent;   // messages, to and from living nodes, but those of which it does not depend what threads do (link.h)
  uint64_t handled;
  uint64_t at_rest; // 1: no thread runs here or is ready; 2: nor can anybody but messages make one ready
  static bool check(const CountedMessage &message, size_t data_bytes, Complaint &wrong);
};
struct QuietMessage : Message<MessageType::quiet> {
  static bool check(const QuietMessage &message, size_t data_bytes, Complaint &wrong);
};
struct InformedMessage : Message<MessageType::informed> {
  static bool check(const InformedMessage &message, size_t data_bytes, Complaint &wrong);
};
struct SealKeyMessage : Message<MessageType::seal_key> { // from node 0
  uint64_t key[2];
  uint64_t run; // its number
  static bool check(const SealKeyMessage &message, size_t data_bytes, Complaint &wrong);
};
struct FarewellMessage : Message<MessageType::farewell> {
  uint64_t
      leaves;    // 0: so many messages are for the receiver as a keeper (goes_to_keeper); 1: the sender leaves the run
  uint64_t sent; // by the sender to the receiver, and they are all
  static bool check(const FarewellMessage &message, size_t data_bytes, Complaint &wrong);
};
/// A piece of what the sender, which leaves the run, has kept for others. What follows is of that kind, and is checked
/// by the room that keeps it (net/run/leaving.h).
enum class EstateKind : uint64_t {
  threads,    // born there: those that are elsewhere, and who waits for them
  objects,    // over nodes
  channels,   // where they went
  blocks,     // of shared memory; of its ranges, all nodes know the same (dsm/ranges.h)
  pages,      // contents of shared memory
  operations, // that were begun there, and have ended
  last = operations,
};
struct EstateMessage : Message<MessageType::estate> {
  uint64_t call;
  uint64_t kind; // EstateKind
  static bool check(const EstateMessage &message, size_t data_bytes, Complaint &wrong);
};
struct MainEndedMessage : Message<MessageType::main_ended> {
  int64_t status;
  static bool check(const MainEndedMessage &message, size_t data_bytes, Complaint &wrong);
};

} // namespace skein

#endif
