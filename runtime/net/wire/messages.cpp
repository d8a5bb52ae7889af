// The checks of messages; see messages.h, whose order they have.
//
// A check is lenient where a program may ask for nonsense and gets an error code for it (an id that never was, a block
// that has been freed), and strict where only the runtime writes: no runtime of this version sends what is refused
// here.
#include "net/wire/messages.h"
#include "abi/channel_calls.h"
#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/node.h"
#include "migrate/image.h"
#include "net/wire/link.h"
#include "private/regions/regions.h"
#include "thread/thread.h"
#include "trace/events.h"

#include <skein/bundle.h>
#include <skein/messages.h>
#include <skein/skein.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace skein {

bool Complaint::say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return false;
}

namespace {

using Number = unsigned long long;

bool no_data(size_t bytes, Complaint &wrong) {
  return bytes == 0 || wrong.say("%zu bytes follow it, and none belong there", bytes);
}

/// Checks the entries that follow a message: from 1 to `most`, no rest, and each right by `is_right`.
template <class Entry, class Message, class Check>
bool entries(const Message &message, size_t bytes, size_t most, Complaint &wrong, Check &&is_right) {
  if (!bytes || bytes % sizeof(Entry) != 0 || bytes / sizeof(Entry) > most)
    return wrong.say("%zu bytes are not 1 to %zu entries of %zu", bytes, most, sizeof(Entry));
  const auto *all = reinterpret_cast<const Entry *>(&message + 1);
  return std::all_of(all, all + bytes / sizeof(Entry), is_right);
}

bool flag(const char *what, uint64_t value, Complaint &wrong) {
  return value <= 1 || wrong.say("%s is %llu, neither 0 nor 1", what, Number{value});
}

bool at_most(const char *what, uint64_t value, uint64_t most, Complaint &wrong) {
  return value <= most || wrong.say("%s %llu of at most %llu", what, Number{value}, Number{most});
}

bool zero(uint64_t value, Complaint &wrong) {
  return value == 0 || wrong.say("a word that must be 0 is 0x%llx", Number{value});
}

bool not_zero(const char *what, uint64_t value, Complaint &wrong) {
  return value != 0 || wrong.say("its %s is 0", what);
}

bool call_number(uint64_t call, Complaint &wrong) { return not_zero("call", call, wrong); }

bool is_node(const char *what, uint64_t number, Complaint &wrong) {
  return number < static_cast<uint64_t>(node.count) ||
         wrong.say("%s is node %llu, and there are %d", what, Number{number}, node.count);
}

/// Whether it is an id of a thread that can have been born in the run, not whether such a thread ever was.
bool thread_id(uint64_t id, Complaint &wrong) {
  return (thread_id_number(id) != 0 && id >> id_node_shift < static_cast<uint64_t>(node.count)) ||
         wrong.say("0x%llx is no thread's id: there are %d nodes", Number{id}, node.count);
}

/// Whether this node keeps the record of the thread: it was born here, or on a node whose heir this one is.
bool kept_here(uint64_t id, Complaint &wrong) {
  return thread_id(id, wrong) && (thread_kept_here(id) || wrong.say("thread 0x%llx was born on node %d, not %d",
                                                                    Number{id}, thread_id_node(id), node.self));
}

/// Objects and operations carry their node as threads do. A program may name one that never was.
bool handle_of(const char *what, uint64_t handle, int home, Complaint &wrong) {
  return handle >> id_node_shift == static_cast<uint64_t>(home) ||
         wrong.say("0x%llx is no %s of node %d", Number{handle}, what, home);
}

/// The same for what this node keeps: what is its own, or was another's whose heir it is.
bool kept_handle(const char *what, uint64_t handle, Complaint &wrong) {
  const int home = static_cast<int>(handle >> id_node_shift);
  return (home < nodes_max && keeper_of(home) == node.self) || handle_of(what, handle, node.self, wrong);
}

/// Whether the sender can be the keeper of the thread's record. Node 0 may have become that, and this node not know it.
bool from_keeper(uint64_t id, const MessageHeader &header, Complaint &wrong) {
  return thread_id(id, wrong) && (header.from == 0 || handle_of("thread", id, header.from, wrong));
}

bool receiver_leads(Complaint &wrong) { return node.self == 0 || wrong.say("only node 0 is told that"); }
bool from_leader(const MessageHeader &header, Complaint &wrong) {
  return header.from == 0 || wrong.say("only node 0 says that");
}

constexpr uint64_t page_bytes = 4096;

/// Whether private memory of so many bytes can begin there in this node's slice.
bool region_here(uint64_t begin, uint64_t bytes, Complaint &wrong) {
  const int owner = region_owner(begin);
  return (owner >= 0 && keeper_of(owner) == node.self && begin % page_bytes == 0 && region_bytes(bytes) == bytes) ||
         wrong.say("0x%llx bytes at 0x%llx are no region of node %d", Number{bytes}, Number{begin}, node.self);
}

// --- shared memory: the layout of a slice is dsm/slices.h's ----------------------------------------------------------

constexpr uint64_t slice_bytes = UINT64_C(1) << SKEIN_SLICE_BITS;
constexpr uint64_t arrays_begin = slice_bytes / 2, pages_begin = slice_bytes / 4 * 3; // offsets in a slice

/// Whether [address, address + bytes) lies in the slice of node `owner`.
bool in_slice(uint64_t address, uint64_t bytes, int owner, Complaint &wrong) {
  const uint64_t offset = address - (SKEIN_SHARED_BASE + static_cast<uint64_t>(owner) * slice_bytes);
  return (offset < slice_bytes && bytes <= slice_bytes - offset) ||
         wrong.say("0x%llx bytes at 0x%llx are not in the shared memory of node %d", Number{bytes}, Number{address},
                   owner);
}

/// The same for a slice that this node keeps: its own, or one that it has inherited.
bool in_kept_slice(uint64_t address, uint64_t bytes, Complaint &wrong) {
  const uint64_t owner = (address - SKEIN_SHARED_BASE) >> SKEIN_SLICE_BITS;
  const bool inherited = owner < static_cast<uint64_t>(node.count) && keeper_of(static_cast<int>(owner)) == node.self;
  return in_slice(address, bytes, inherited ? static_cast<int>(owner) : node.self, wrong);
}

/// Whose slice a change of a range is about that node `leader` leads: its own, or, if it is node 0, one that it has
/// inherited. The heir may know before this node that it is that.
int slice_led(uint64_t address, int leader) {
  const uint64_t owner = (address - SKEIN_SHARED_BASE) >> SKEIN_SLICE_BITS;
  const bool inherited =
      leader == 0 && owner < static_cast<uint64_t>(node.count) && !link_takes(static_cast<int>(owner));
  return inherited ? static_cast<int>(owner) : leader;
}

/// Whether a change of a range, which node `leader` leads, is of a kind that exists and of a range that can be meant.
/// `news`: the leader says that it is made. Otherwise it is asked for, the leader will judge it, and a program may ask
/// for what does not exist.
bool range_change(uint64_t what, uint64_t begin, uint64_t bytes, uint64_t detail, int leader, bool news,
                  Complaint &wrong) {
  if (!at_most("change", what, static_cast<uint64_t>(RangeChange::cache), wrong))
    return false;
  const auto change = static_cast<RangeChange>(what);
  const bool array = change == RangeChange::array || change == RangeChange::array_close;
  if (array && leader != 0)
    return wrong.say("node %d does not lead changes of arrays", leader);
  if (news && !bytes)
    return wrong.say("the range is empty");
  if (change == RangeChange::protect && (detail & ~static_cast<uint64_t>(PROT_READ | PROT_WRITE)))
    return wrong.say("0x%llx is no protection", Number{detail});
  if (change == RangeChange::cache && !at_most("way to cache", detail, 3, wrong))
    return false;
  if (change == RangeChange::array && !news && (!detail || detail > UINT32_MAX))
    return wrong.say("an array for %llu parties", Number{detail});
  if ((change == RangeChange::array || change == RangeChange::map) && !news)
    return (begin == 0 && bytes && bytes % page_bytes == 0 &&
            at_most("bytes", bytes, array ? pages_begin - arrays_begin : slice_bytes - pages_begin, wrong)) ||
           wrong.say("0x%llx bytes at 0x%llx are no range that could be asked for", Number{bytes}, Number{begin});
  if (!news)
    return array || in_kept_slice(begin, 0, wrong);
  const int owner = slice_led(begin, leader);
  if (change == RangeChange::cache)
    return in_slice(begin, bytes, owner, wrong);
  const uint64_t slice = SKEIN_SHARED_BASE + static_cast<uint64_t>(owner) * slice_bytes;
  const uint64_t low = array ? arrays_begin : slice + pages_begin, high = array ? pages_begin : slice + slice_bytes;
  return (begin % page_bytes == 0 && bytes % page_bytes == 0 && begin >= low && begin < high &&
          bytes <= high - begin) ||
         wrong.say("0x%llx bytes at 0x%llx are no pages where such a range can be", Number{bytes}, Number{begin});
}

bool lent_place(const LentPlace &place, Complaint &wrong) {
  return not_zero("process", place.process, wrong) && at_most("process", place.process, INT32_MAX, wrong) &&
         not_zero("record", place.record, wrong) &&
         (place.record % 8 == 0 || wrong.say("its record is at 0x%llx", Number{place.record}));
}

/// What follows a message of a channel whose bytes are lent.
bool lent(const void *data, size_t data_bytes, Complaint &wrong) {
  LentPlace place;
  if (data_bytes != sizeof place)
    return wrong.say("%zu bytes follow it, which are no place of lent memory", data_bytes);
  memcpy(&place, data, sizeof place);
  return lent_place(place, wrong);
}

/// What follows a message of a channel, which says how many bytes are sent.
bool sent_bytes(bool sends, uint64_t bytes, size_t data_bytes, Complaint &wrong) {
  if (!sends)
    return no_data(data_bytes, wrong);
  return at_most("bytes", data_bytes, SKEIN_MESSAGE_MOST, wrong) &&
         (data_bytes == bytes || wrong.say("%zu bytes follow it, and %llu are to be sent", data_bytes, Number{bytes}));
}

} // namespace

bool HelloMessage::check(const HelloMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && zero(message.reserved, wrong);
}

bool HeartbeatMessage::check(const HeartbeatMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && at_most("living threads", message.living, UINT64_C(1) << id_node_shift, wrong);
}

// The images must fit together; image_check judges what is in them.
bool ThreadsMessage::check(const ThreadsMessage &message, size_t data_bytes, Complaint &wrong) {
  if (!not_zero("shipment", message.shipment, wrong) || !not_zero("number of images", message.count, wrong) ||
      !at_most("images", message.count, shipment_most, wrong) ||
      !at_most("arrived shipments", message.arrived, arrived_most, wrong) || !flag("go_on", message.go_on, wrong) ||
      !flag("awaited", message.awaited, wrong) ||
      !at_most("threads of the answer", message.answer, shipment_most, wrong) || !zero(message.reserved, wrong))
    return false;
  if (message.answer && !message.request)
    return wrong.say("it ends the answer to a steal that it does not name");
  if (data_bytes % 8 || data_bytes < message.arrived * sizeof(uint64_t))
    return wrong.say("it has %zu bytes of images and numbers", data_bytes);
  const auto *at = reinterpret_cast<const unsigned char *>(&message + 1);
  size_t left = data_bytes - message.arrived * sizeof(uint64_t);
  for (uint32_t i = 0; i < message.count; i++) {
    const uint32_t bytes = left >= sizeof(ImageHeader) ? reinterpret_cast<const ImageHeader *>(at)->bytes : 0;
    if (bytes < sizeof(ImageHeader) || bytes % 8 || bytes > left)
      return wrong.say("image %u of %u has %u bytes where %zu are left", i, message.count, bytes, left);
    at += bytes;
    left -= bytes;
  }
  if (left)
    return wrong.say("%zu bytes are left behind its images", left);
  for (uint32_t i = 0; i < message.arrived; i++)
    if (!not_zero("arrived shipment", reinterpret_cast<const uint64_t *>(at)[i], wrong))
      return false;
  return true;
}

bool VerdictMessage::check(const VerdictMessage &message, size_t data_bytes, Complaint &wrong) {
  if (!not_zero("shipment", message.shipment, wrong) || !at_most("refused", message.refused, shipment_most, wrong) ||
      !zero(message.reserved, wrong))
    return false;
  if (data_bytes != message.refused * sizeof(RefusedThread))
    return wrong.say("%zu bytes of data for %u refused threads", data_bytes, message.refused);
  const auto *refused = reinterpret_cast<const RefusedThread *>(&message + 1);
  for (uint32_t i = 0; i < message.refused; i++) {
    const RefusedThread &one = refused[i];
    if (!at_most("index", one.index, shipment_most - 1, wrong) ||
        !at_most("fault", one.fault, static_cast<uint64_t>(ImageFault::last), wrong) || !zero(one.reserved, wrong))
      return false;
    if (one.code < SKEIN_EPINNED || one.code > error_most)
      return wrong.say("%d is no code of an error", one.code);
    if (!memchr(one.text, 0, sizeof one.text))
      return wrong.say("the reason of a refusal has no end");
  }
  return true;
}

bool ComingMessage::check(const ComingMessage &, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong);
}

bool ReadableMessage::check(const ReadableMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && lent_place(message.place, wrong) &&
         at_most("answer", message.is, static_cast<uint64_t>(Readable::no), wrong);
}

bool ArrivedMessage::check(const ArrivedMessage &message, size_t data_bytes, Complaint &wrong) {
  return entries<uint64_t>(message, data_bytes, arrived_most, wrong,
                           [&](uint64_t number) { return not_zero("shipment", number, wrong); });
}

bool StealMessage::check(const StealMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && not_zero("request", message.request, wrong) &&
         at_most("wish", message.what, SKEIN_WANT_STARTED_ONLY, wrong) && flag("policy", message.by_policy, wrong);
}

bool NothingMessage::check(const NothingMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && not_zero("request", message.request, wrong);
}

bool PolicyMessage::check(const PolicyMessage &, size_t data_bytes, Complaint &wrong) {
  return at_most("bytes", data_bytes, policy_most, wrong);
}

bool StealingMessage::check(const StealingMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && flag("on", message.on, wrong);
}

bool EndedMessage::check(const EndedMessage &message, size_t data_bytes, Complaint &wrong) {
  return entries<EndedThread>(message, data_bytes, batch_most, wrong, [&](const EndedThread &ended) {
    return kept_here(ended.thread, wrong) &&
           at_most("kind of result", ended.result.kind, static_cast<uint64_t>(WireResultKind::image), wrong) &&
           flag("taken", ended.result.taken, wrong);
  });
}

bool MovedMessage::check(const MovedMessage &message, size_t data_bytes, Complaint &wrong) {
  return entries<MovedThread>(message, data_bytes, batch_most, wrong, [&](const MovedThread &moved) {
    return kept_here(moved.thread, wrong) && is_node("where it went", moved.to, wrong) &&
           at_most("moves", moved.moves, uint64_t{UINT16_MAX} + 1, wrong);
  });
}

bool WantedMessage::check(const WantedMessage &message, size_t data_bytes, Complaint &wrong) {
  return entries<uint64_t>(message, data_bytes, batch_most, wrong,
                           [&](uint64_t id) { return from_keeper(id, message.header, wrong); });
}

bool RegionsMessage::check(const RegionsMessage &message, size_t data_bytes, Complaint &wrong) {
  return entries<FreedRegion>(message, data_bytes, batch_most, wrong, [&](const FreedRegion &region) {
    return thread_id(region.thread, wrong) && region_here(region.begin, region.bytes & ~region_kept, wrong);
  });
}

bool ClaimMessage::check(const ClaimMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) &&
         region_here(message.begin, message.bytes, wrong);
}

bool SlotMessage::check(const SlotMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && at_most("slot", message.slot, UINT32_MAX - 1, wrong);
}

bool DetachMessage::check(const DetachMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && kept_handle("thread", message.thread, wrong);
}

// It is sent to the node of birth, and from there to where the thread went.
bool CancelMessage::check(const CancelMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) &&
         (thread_kept_here(message.thread) || from_keeper(message.thread, message.header, wrong));
}

bool JoinMessage::check(const JoinMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) && kept_handle("thread", message.thread, wrong);
}

// dsm/objects.cpp, which knows the operations, judges what is asked for and whether its data fit.
bool GlobalMessage::check(const GlobalMessage &message, size_t, Complaint &wrong) {
  return thread_id(message.thread, wrong) && (message.object == 0 || kept_handle("object", message.object, wrong));
}

bool GlobalCreateMessage::check(const GlobalCreateMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong);
}

bool StatisticsMessage::check(const StatisticsMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong);
}

bool AllocateMessage::check(const AllocateMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong);
}

bool ReleaseMessage::check(const ReleaseMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) && in_kept_slice(message.address, 0, wrong);
}

bool ParcelMessage::check(const ParcelMessage &message, size_t data_bytes, Complaint &wrong) {
  if (!call_number(message.call, wrong))
    return false;
  const auto *const begin = reinterpret_cast<const char *>(&message + 1), *const end = begin + data_bytes, *at = begin;
  if (at == end)
    return wrong.say("it is empty");
  uint64_t answer = 0;
  bool only = false; // it is the only one, and may be large
  while (at < end) {
    ParcelEntry entry;
    if (static_cast<size_t>(end - at) < sizeof entry)
      return wrong.say("%zu bytes are left behind its entries", static_cast<size_t>(end - at));
    memcpy(&entry, at, sizeof entry);
    const uint64_t left = static_cast<uint64_t>(end - at) - sizeof entry, following = parcel_request_bytes(entry);
    only = at == begin && left == following;
    if (!at_most("kind of access", static_cast<uint64_t>(entry.what), static_cast<uint64_t>(ParcelWhat::fill), wrong) ||
        !zero(entry.reserved, wrong) || !in_kept_slice(entry.address, entry.bytes, wrong))
      return false;
    const bool operates = entry.what == ParcelWhat::operate;
    if (!entry.bytes ||
        entry.bytes > (operates ? 16
                       : only   ? copy_piece_most
                                : parcel_access_most) ||
        (operates && ((entry.bytes & (entry.bytes - 1)) || entry.address & (entry.bytes - 1))))
      return wrong.say("an access of %u bytes at 0x%llx", entry.bytes, Number{entry.address});
    if (!at_most("operation", entry.operation,
                 entry.what == ParcelWhat::fill ? UINT8_MAX
                 : !operates                    ? 0
                 : entry.bytes == 16            ? SKEIN_ATOMIC_COMPARE
                                                : SKEIN_ATOMIC_UMIN,
                 wrong))
      return false;
    if (left < following)
      return wrong.say("fewer than %llu bytes follow the last access", Number{following});
    at += sizeof entry + following;
    answer += sizeof(ParcelResult) + parcel_padded(parcel_result_bytes(entry));
  }
  return only ||
         (at_most("bytes", data_bytes, parcel_most, wrong) && at_most("bytes of results", answer, parcel_most, wrong));
}

bool ChangeMessage::check(const ChangeMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) &&
         range_change(message.what, message.begin, message.bytes, message.detail, node.self, false, wrong);
}

bool RangeMessage::check(const RangeMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) &&
         range_change(message.what, message.begin, message.bytes, message.protection, message.header.from, true, wrong);
}

bool PeerMessage::check(const PeerMessage &message, size_t data_bytes, Complaint &wrong) {
  if (!call_number(message.call, wrong) ||
      !at_most("kind of copy", message.what, static_cast<uint64_t>(PeerCopy::write), wrong) ||
      !at_most("bytes", message.bytes, copy_piece_most, wrong))
    return false;
  const uint64_t following = message.what == static_cast<uint64_t>(PeerCopy::write) ? message.bytes : 0;
  return data_bytes == following || wrong.say("%zu bytes follow, and it says %llu", data_bytes, Number{following});
}

// The node that made the call knows what the answer means.
bool ReplyMessage::check(const ReplyMessage &message, size_t, Complaint &wrong) {
  return call_number(message.call, wrong);
}

bool RequestMessage::check(const RequestMessage &message, size_t data_bytes, Complaint &wrong) {
  constexpr size_t of_a_copy = 32; // before the bytes of a put (windows.cpp)
  return zero(message.reserved, wrong) && at_most("bytes", data_bytes, SKEIN_MESSAGE_MOST + of_a_copy, wrong);
}

bool CreditsMessage::check(const CreditsMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && not_zero("number of credits", message.credits, wrong) &&
         at_most("credits", message.credits, knobs.message_credits, wrong);
}

bool AwaitMessage::check(const AwaitMessage &message, size_t data_bytes, Complaint &wrong) {
  if (!no_data(data_bytes, wrong) ||
      !at_most("question", message.what, static_cast<uint64_t>(AwaitWhat::answer), wrong))
    return false;
  const auto what = static_cast<AwaitWhat>(message.what);
  if (what == AwaitWhat::nothing ? !zero(message.call, wrong) : !call_number(message.call, wrong))
    return false;
  return what == AwaitWhat::answer ? not_zero("call that was left behind", message.pending, wrong)
                                   : kept_handle("operation", message.pending, wrong);
}

bool QuiesceMessage::check(const QuiesceMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) && receiver_leads(wrong);
}

bool AgreeMessage::check(const AgreeMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) && receiver_leads(wrong);
}

bool StandMessage::check(const StandMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && call_number(message.call, wrong) && from_leader(message.header, wrong);
}

// A program may name a channel that never was, and ask for any time and any room.
/// What a channel is filled with: messages, one after the other.
static bool filling(const void *data, size_t bytes, Complaint &wrong) {
  for (const auto *at = static_cast<const char *>(data); bytes;) {
    uint64_t length = 0;
    if (bytes >= sizeof length)
      memcpy(&length, at, sizeof length);
    if (bytes < sizeof length || length > SKEIN_MESSAGE_MOST || fill_bytes(length) > bytes)
      return wrong.say("%zu bytes are left for a message of %llu", bytes, Number{length});
    at += fill_bytes(length);
    bytes -= fill_bytes(length);
  }
  return true;
}

bool ChannelMessage::check(const ChannelMessage &message, size_t data_bytes, Complaint &wrong) {
  const bool sends = message.operation == SKEIN_CHANNEL_SEND, makes = message.operation == SKEIN_CHANNEL_CREATE;
  if (!call_number(message.call, wrong) || !at_most("operation", message.operation, SKEIN_CHANNEL_LEND, wrong) ||
      (makes ? message.channel && !handle_of("channel", message.channel, message.header.from, wrong)
             : !kept_handle("channel", message.channel, wrong)))
    return false;
  if (makes && message.channel && !at_most("patience", message.left_ns, UINT32_MAX, wrong))
    return false;
  if (message.operation == SKEIN_CHANNEL_FILL)
    return flag("word `left`", message.left_ns, wrong) && filling(&message + 1, data_bytes, wrong) &&
           (message.bytes == data_bytes ||
            wrong.say("%zu bytes follow it, and it says %llu", data_bytes, Number{message.bytes}));
  if (message.operation == SKEIN_CHANNEL_LEND)
    return lent(&message + 1, data_bytes, wrong) && not_zero("bytes", message.bytes, wrong) &&
           at_most("bytes", message.bytes, SKEIN_MESSAGE_MOST, wrong);
  return sent_bytes(sends, message.bytes, data_bytes, wrong);
}

bool OfferMessage::check(const OfferMessage &message, size_t data_bytes, Complaint &wrong) {
  if (!kept_handle("channel", message.channel, wrong) || !not_zero("alternative", message.alternative, wrong) ||
      !flag("sends", message.sends, wrong))
    return false;
  return sent_bytes(message.sends, message.bytes, data_bytes, wrong);
}

bool AttemptMessage::check(const AttemptMessage &message, size_t data_bytes, Complaint &wrong) {
  return call_number(message.call, wrong) && not_zero("alternative", message.alternative, wrong) &&
         (message.code == SKEIN_CHANNEL_AGAIN || at_most("code", message.code, error_most, wrong)) &&
         (message.code ? no_data(data_bytes, wrong)
                       : data_bytes == message.bytes ||
                             wrong.say("%zu bytes follow it, and it says %llu", data_bytes, Number{message.bytes}));
}

bool WithdrawMessage::check(const WithdrawMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && kept_handle("channel", message.channel, wrong);
}

bool CountMessage::check(const CountMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && not_zero("round", message.round, wrong) && from_leader(message.header, wrong);
}

bool CountedMessage::check(const CountedMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && not_zero("round", message.round, wrong) && receiver_leads(wrong) &&
         at_most("living threads", message.living, UINT64_C(1) << id_node_shift, wrong) &&
         at_most("nodes that came and went", message.view, 2 * static_cast<uint64_t>(node.count), wrong) &&
         at_most("at_rest", message.at_rest, 2, wrong);
}

bool TraceClassesMessage::check(const TraceClassesMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && at_most("classes", message.classes, trace_classes_all, wrong);
}

bool ClockMessage::check(const ClockMessage &, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && receiver_leads(wrong);
}

bool ClockToldMessage::check(const ClockToldMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && from_leader(message.header, wrong);
}

bool QuietMessage::check(const QuietMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && (node.self == 0 || from_leader(message.header, wrong));
}

bool InformedMessage::check(const InformedMessage &, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong);
}

bool SealKeyMessage::check(const SealKeyMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && from_leader(message.header, wrong);
}

bool FarewellMessage::check(const FarewellMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && at_most("word `leaves`", message.leaves, 1, wrong);
}

bool EstateMessage::check(const EstateMessage &message, size_t data_bytes, Complaint &wrong) {
  return receiver_leads(wrong) && call_number(message.call, wrong) &&
         at_most("kind", message.kind, static_cast<uint64_t>(EstateKind::last), wrong) &&
         at_most("bytes", data_bytes, estate_most, wrong);
}

bool MainEndedMessage::check(const MainEndedMessage &message, size_t data_bytes, Complaint &wrong) {
  return no_data(data_bytes, wrong) && receiver_leads(wrong) &&
         (message.status == static_cast<int32_t>(message.status) ||
          wrong.say("0x%llx is no status of a program", static_cast<Number>(message.status)));
}

} // namespace skein
