// Checks, copies, atomic operations, and the messages that ask for them; see owner.h.
#include "dsm/owner.h"
#include "abi/entry_points.h"
#include "base/log.h"
#include "base/node.h"
#include "dsm/ranges.h"
#include "dsm/slices.h"
#include "net/messages/calls.h"

#include <skein/skein.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace skein {

namespace {

// --- atomic operations -----------------------------------------------------------------------------------------------

using Wide = unsigned __int128;

template <class Word, class Signed> Word operate(Word *at, unsigned operation, Word operand, Word expected) {
  constexpr int order = __ATOMIC_SEQ_CST;
  switch (operation) {
  case SKEIN_ATOMIC_LOAD:
    return __atomic_load_n(at, order);
  case SKEIN_ATOMIC_STORE:
  case SKEIN_ATOMIC_EXCHANGE:
    return __atomic_exchange_n(at, operand, order);
  case SKEIN_ATOMIC_COMPARE:
    __atomic_compare_exchange_n(at, &expected, operand, false, order, order);
    return expected;
  case SKEIN_ATOMIC_ADD:
    return __atomic_fetch_add(at, operand, order);
  case SKEIN_ATOMIC_SUB:
    return __atomic_fetch_sub(at, operand, order);
  case SKEIN_ATOMIC_AND:
    return __atomic_fetch_and(at, operand, order);
  case SKEIN_ATOMIC_OR:
    return __atomic_fetch_or(at, operand, order);
  case SKEIN_ATOMIC_XOR:
    return __atomic_fetch_xor(at, operand, order);
  case SKEIN_ATOMIC_NAND:
    return __atomic_fetch_nand(at, operand, order);
  }
  Word was = __atomic_load_n(at, order), next;
  do {
    const auto a = static_cast<Signed>(was), b = static_cast<Signed>(operand);
    switch (operation) {
    case SKEIN_ATOMIC_MAX:
      next = a > b ? was : operand;
      break;
    case SKEIN_ATOMIC_MIN:
      next = a < b ? was : operand;
      break;
    case SKEIN_ATOMIC_UMAX:
      next = std::max(was, operand);
      break;
    default:
      next = std::min(was, operand);
    }
  } while (!__atomic_compare_exchange_n(at, &was, next, false, order, order));
  return was;
}

/// Reads and writes 16 bytes atomically with cmpxchg16b.
Wide operate_wide(Wide *at, unsigned operation, Wide operand, Wide expected) {
  auto exchange = [at](Wide &was, Wide next) {
    auto low = static_cast<uint64_t>(was), high = static_cast<uint64_t>(was >> 64);
    bool done;
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(done), "+m"(*at), "+a"(low), "+d"(high)
                 : "b"(static_cast<uint64_t>(next)), "c"(static_cast<uint64_t>(next >> 64))
                 : "memory");
    was = static_cast<Wide>(high) << 64 | low;
    return done;
  };
  if (operation == SKEIN_ATOMIC_COMPARE) {
    exchange(expected, operand);
    return expected;
  }
  Wide was = 0;
  if (operation == SKEIN_ATOMIC_LOAD)
    exchange(was, 0); // writes 0 over 0, or nothing
  else
    while (!exchange(was, operand))
      ;
  return was;
}

} // namespace

void operate_here(uint64_t address, uint64_t bytes, uint64_t what, uint64_t (&operand)[2],
                  const uint64_t (&expected)[2]) {
  const auto operation = static_cast<unsigned>(what & 0xff);
  void *at = pointer_to(address);
  switch (bytes) {
  case 1:
    operand[0] = operate<uint8_t, int8_t>(static_cast<uint8_t *>(at), operation, static_cast<uint8_t>(operand[0]),
                                          static_cast<uint8_t>(expected[0]));
    break;
  case 2:
    operand[0] = operate<uint16_t, int16_t>(static_cast<uint16_t *>(at), operation, static_cast<uint16_t>(operand[0]),
                                            static_cast<uint16_t>(expected[0]));
    break;
  case 4:
    operand[0] = operate<uint32_t, int32_t>(static_cast<uint32_t *>(at), operation, static_cast<uint32_t>(operand[0]),
                                            static_cast<uint32_t>(expected[0]));
    break;
  case 8:
    operand[0] = operate<uint64_t, int64_t>(static_cast<uint64_t *>(at), operation, operand[0], expected[0]);
    break;
  default:
    Wide wide, wanted;
    memcpy(&wide, operand, sizeof wide);
    memcpy(&wanted, expected, sizeof wanted);
    wide = operate_wide(static_cast<Wide *>(at), operation, wide, wanted);
    memcpy(operand, &wide, sizeof wide);
  }
}

// --- checks and copies -----------------------------------------------------------------------------------------------

bool access_allowed(uint64_t address, uint64_t bytes, bool write, Why &why) {
  const int owner = slice_owner(address);
  if (!slice_kept(owner) || !slice_holds(address, bytes)) {
    snprintf(why.text, sizeof why.text, "%s", belongs_nowhere);
    return false;
  }
  slice_map(owner);
  if (address - slice_begin(owner) >= common_area)
    return range_allows(address, bytes, write, why);
  // What lies in the same line as a valid byte may be read: compiled code widens accesses.
  return shared_in_block(address, bytes, write ? 1 : 64, why);
}

// --- parcels --------------------------------------------------------------------------------------------------------

namespace {

/// Makes an access, and puts its result into `to`. Null, or the reason why it was refused.
const char *perform(const ParcelEntry &entry, const char *data, char *to, Why &why) {
  const bool operates = entry.what == ParcelWhat::operate, gets = entry.what == ParcelWhat::get;
  const bool writes = operates ? entry.operation != SKEIN_ATOMIC_LOAD : !gets;
  if (!access_allowed(entry.address, entry.bytes, writes, why))
    return why.text;
  if (gets) {
    copy_words(to, pointer_to(entry.address), entry.bytes);
  } else if (entry.what == ParcelWhat::fill) {
    memset(pointer_to(entry.address), entry.operation, entry.bytes);
  } else if (!operates) {
    copy_words(pointer_to(entry.address), data, entry.bytes);
  } else {
    const uint64_t word = parcel_word(entry.bytes);
    uint64_t operand[2] = {0, 0}, expected[2] = {0, 0};
    memcpy(operand, data, word);
    memcpy(expected, data + word, word);
    operate_here(entry.address, entry.bytes, entry.operation, operand, expected);
    memcpy(to, operand, word);
  }
  return nullptr;
}

/// The answer to a parcel, which grows as results are added.
struct Results {
  ReplyMessage *reply;
  size_t bytes, room;

  /// Room for `more` bytes behind the results so far.
  char *make_room(size_t more) {
    if (bytes + more > room) {
      room = bytes + std::max(more, room);
      reply = static_cast<ReplyMessage *>(realloc(reply, sizeof *reply + room));
      if (!reply)
        fatal("out of memory for an answer of %zu bytes", room);
    }
    return reinterpret_cast<char *>(reply + 1) + bytes;
  }
};

/// Makes all accesses of a parcel, one after the other. Returns the reply, and the size of its data.
ReplyMessage *perform_all(const Arrival &arrival, size_t &bytes) {
  const char *at = static_cast<const char *>(arrival.data<ParcelMessage>());
  const char *const end = at + arrival.data_bytes<ParcelMessage>();
  const size_t room = static_cast<size_t>(end - at) + sizeof(ParcelResult); // enough for words
  Results results = {message_new<ReplyMessage>(room), 0, room};
  results.reply->call = arrival.body<ParcelMessage>().call;
  results.reply->value = SKEIN_OK;
  for (ParcelEntry entry; at < end;) { // the entries are whole: ParcelMessage::check
    memcpy(&entry, at, sizeof entry);
    at += sizeof entry;
    const uint64_t brought = parcel_request_bytes(entry), given = parcel_result_bytes(entry);
    Why why;
    ParcelResult result = {static_cast<uint32_t>(given), SKEIN_OK};
    char *to = results.make_room(sizeof result + parcel_padded(given));
    if (const char *wrong = perform(entry, at, to + sizeof result, why)) {
      result = {static_cast<uint32_t>(strlen(wrong)), SKEIN_EPOINTER};
      to = results.make_room(sizeof result + parcel_padded(result.bytes));
      memcpy(to + sizeof result, wrong, result.bytes);
    }
    memcpy(to, &result, sizeof result);
    results.bytes += sizeof result + parcel_padded(result.bytes);
    at += brought;
  }
  bytes = results.bytes;
  return results.reply;
}

void on_parcel(Arrival &arrival) {
  size_t bytes;
  ReplyMessage *reply = perform_all(arrival, bytes);
  // The answer carries news of what threads did only if the question did.
  call_answer(arrival.from, reply, bytes, arrival.body<ParcelMessage>().header.plain);
}

/// Whether a parcel may be handled inside of the transport. A large access would hold the transport up.
bool on_parcel_at_once(const Arrival &arrival, Answer &answer) {
  ParcelEntry first; // it is whole: ParcelMessage::check
  memcpy(&first, arrival.data<ParcelMessage>(), sizeof first);
  if (first.bytes > parcel_access_most)
    return false;
  size_t bytes;
  ReplyMessage *reply = perform_all(arrival, bytes);
  answer = {&reply->header, sizeof *reply + bytes};
  return true;
}

} // namespace

void owner_start() {
  link_handle<ParcelMessage>(on_parcel);
  link_handle_at_once<ParcelMessage>(on_parcel_at_once);
}

} // namespace skein
