// The receiving side of a move: images that arrive become threads of this node, and the sender is told which have been
// accepted; see exchange.h.
#include "base/list.h"
#include "migrate/image.h"
#include "migrate/move_handlers.h"
#include "net/messages/lent_memory.h"
#include "net/moves/awaits.h"
#include "net/moves/births.h"
#include "net/moves/outbox.h"
#include "net/moves/shipments.h"
#include "net/moves/steals.h"
#include "net/run/progress.h"
#include "sched/sched.h"
#include "trace/trace.h"

#include <cstdio>
#include <cstring>

namespace skein {

namespace {

constexpr uint64_t coming_ns = 2000000; // a thread with a GiB of heap comes within that time

/// The verdict on a shipment, under construction: a row for each thread that is refused.
class Verdict {
public:
  void refuse(uint32_t index, ImageFault fault, const Refusal &why) {
    if (!rows_)
      rows_ = static_cast<VerdictMessage *>(message_memory(sizeof(VerdictMessage) + rows_most * sizeof(RefusedThread)));
    SKEIN_ASSERT(count_ < rows_most, "more refusals than threads in a shipment");
    auto &row = reinterpret_cast<RefusedThread *>(rows_ + 1)[count_++];
    row = {};
    row.index = index;
    row.code = why.code;
    row.fault = static_cast<uint32_t>(fault);
    snprintf(row.text, sizeof row.text, "node %d refused the thread (%s): %s", node.self, image_fault_name(fault),
             why.text);
  }
  bool refuses() const { return count_ > 0; }
  void send(int to, uint64_t shipment) {
    if (!rows_)
      rows_ = static_cast<VerdictMessage *>(message_memory(sizeof(VerdictMessage)));
    rows_->header.type = static_cast<uint8_t>(MessageType::verdict);
    rows_->shipment = shipment;
    rows_->refused = count_;
    rows_->reserved = 0;
    link_send(to, &rows_->header, sizeof(VerdictMessage) + count_ * sizeof(RefusedThread));
    rows_ = nullptr;
  }

private:
  static constexpr uint32_t rows_most = shipment_most;
  VerdictMessage *rows_ = nullptr;
  uint32_t count_ = 0;
};

/// Numbers of this node's shipments that have arrived at a peer, as a message with threads says. They are settled after
/// its threads are ready, so that these need not wait; or earlier, if a thread needs a stack or memory that the settled
/// ones still hold.
class ArrivedShipments {
public:
  ArrivedShipments(const void *numbers, size_t bytes) : numbers_(numbers), bytes_(bytes) {}
  /// This shipment is settled already. Only the case of one number is worth a look: a thread that hops to and fro.
  void is_over(uint64_t number) {
    if (bytes_ == sizeof number && !memcmp(numbers_, &number, sizeof number))
      bytes_ = 0;
  }
  /// False if there was nothing to settle.
  bool settle_all() {
    if (!bytes_)
      return false;
    settle_shipments(numbers_, bytes_);
    bytes_ = 0;
    return true;
  }

private:
  const void *numbers_;
  size_t bytes_;
};

/// Whether a thread of this id can come from another node: it was born on a node of the run, and if that is this node,
/// it is away. A peer that sends any other is damaged, but a refusal is enough: nothing of its image has been used.
bool may_arrive(uint64_t id, ImageFault &fault, Refusal &why) {
  const int birth = thread_id_node(id);
  if (birth >= node.count || thread_id_number(id) == 0)
    why.set(SKEIN_EREFUSED, "its id says that it is thread %llu of node %d, and there are %d nodes",
            static_cast<unsigned long long>(thread_id_number(id)), birth, node.count);
  else if (birth == node.self && !births_is_away(id))
    why.set(SKEIN_EREFUSED, "its id says that it is thread %llu of this node, which never left, or has ended",
            static_cast<unsigned long long>(thread_id_number(id)));
  else
    return true;
  fault = ImageFault::malformed;
  return false;
}

/// Makes the image at `at` a thread of this node; null with the reason if it may not come.
Thread *admit(const unsigned char *at, size_t bytes, int from, ArrivedShipments &arrived, ImageFault &fault,
              Refusal &why) {
  const ImageHeader *header = image_check(at, bytes, fault, why);
  if (!header)
    return nullptr;
  // The thread may come back before the verdict on its departure. Only an image that has been checked may prove that.
  const Return back = shipment_take_back(*header);
  // One that was in flight from here was away until just now.
  if (!back.item.id && !may_arrive(header->travels.id, fault, why))
    return nullptr;
  arrived.is_over(back.over);
  const Lender lender = {from, borrowed_pieces_read};
  RestoreOptions options = {.former = back.thread, .lender = &lender};
  Thread *thread = image_restore(*header, fault, why, options);
  options.former = nullptr;
  if (back.thread) {
    if (thread)
      shipment_is_back(back);
    else
      shipment_departed(back);
  }
  // If its addresses are in use here, threads that have arrived elsewhere, and are not settled yet, may hold them.
  const auto in_use = [&] { return !thread && (fault == ImageFault::no_stack || fault == ImageFault::no_memory); };
  if (in_use() && arrived.settle_all())
    thread = image_restore(*header, fault, why, options);
  if (in_use() && settle_former_owners(*header))
    thread = image_restore(*header, fault, why, options);
  options.anywhere = true;
  if (in_use())
    thread = image_restore(*header, fault, why, options);
  if (!thread)
    return nullptr;
  births_arrived(thread->id);
  count_in_turn(statistics.threads_received);
  count_in_turn(statistics.bytes_received, bytes + image_lent_bytes(*header));
  return thread;
}

void on_threads(Arrival &arrival) {
  const auto &message = arrival.body<ThreadsMessage>();
  auto *at = static_cast<const unsigned char *>(arrival.data<ThreadsMessage>());
  if (message.request && !steal_asked(message.request, arrival.from))
    return;
  const uint32_t images = message.count;
  const size_t arrived_bytes = message.arrived * sizeof(uint64_t);
  const unsigned char *const numbers = at + (arrival.data_bytes<ThreadsMessage>() - arrived_bytes);
  if (!shipments_may_arrive(arrival.from, MessageType::threads, numbers, arrived_bytes))
    return;
  ArrivedShipments arrived(numbers, arrived_bytes);
  Verdict verdict;
  List<Thread> accepted;
  const bool leaves = !link_takes(node.self); // a sender may not know it yet
  uint32_t accepted_count = 0;
  for (uint32_t index = 0; index < images; index++) {
    ImageFault fault = ImageFault::none;
    Refusal why;
    const uint32_t bytes = reinterpret_cast<const ImageHeader *>(at)->bytes; // checked: ThreadsMessage::check
    if (leaves) {
      why.set(SKEIN_ELEAVES, "it is about to leave the run");
      verdict.refuse(index, ImageFault::leaving, why);
    } else if (Thread *thread = admit(at, bytes, arrival.from, arrived, fault, why)) {
      // A settling thread cannot be stolen until it has run here. A thread that was pushed here settles, since it
      // was sent for a reason. Of stolen threads only the first does: that suffices to keep two idle nodes from
      // stealing the same threads from each other for ever without running any, and the others remain for idle nodes.
      thread->settling = message.request ? message.answer && accepted_count == 0 : !message.go_on;
      trace(TraceEvent::arrives, thread->id, bytes, thread->moves, static_cast<uint16_t>(arrival.from));
      move_arrives(*thread, arrival.from);
      accepted.push_back(thread);
      accepted_count++;
    } else {
      verdict.refuse(index, fault, why);
    }
    at += bytes;
  }
  if (message.request)
    count_in_turn(statistics.threads_stolen, accepted_count);
  // A verdict that somebody waits for leaves before the threads run; any other must not delay them.
  const bool at_once = message.awaited || verdict.refuses();
  if (at_once)
    verdict.send(arrival.from, message.shipment);
  while (Thread *thread = accepted.pop_front())
    if (thread->awaiting)
      await_arrived(thread, arrival.from);
    else
      thread_arrived(thread);
  arrived.settle_all();
  if (!at_once)
    outbox_arrived(arrival.from, message.shipment);
  if (message.request)
    steal_answered(arrival.from, message.request, message.answer, images, accepted_count);
}

/// The source looks through the heap of a thread. Meanwhile this node wakes up, which would take as long afterwards.
void on_coming(Arrival &) { progress_expect(coming_ns); }

} // namespace

void arrivals_start() {
  link_handle<ThreadsMessage>(on_threads);
  link_handle<ComingMessage>(on_coming);
}

} // namespace skein
