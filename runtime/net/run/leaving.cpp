// See leaving.h.
//
// The node that leaves works through its threads again and again: ready ones leave in shipments, and the others one by
// one, as by skein_push. Those that stay are told in words. It spends a few milliseconds at a time on this, because the
// same kernel thread handles all messages. As long as ready threads take all of that time, the others are looked at
// only now and then: most threads that wait will be ready when it is their turn.
//
// Threads go to the node that has got the fewest. Of thousands, those whose stacks lie side by side go together, since
// a node makes some stacks accessible at a time (stack_neighbourhood): if neighbours are dealt out in turns, each of n
// nodes makes nearly all of the leaver's stacks accessible, which was a third of the time for which n = 2 took threads.
#include "net/run/leaving.h"
#include "base/fifo.h"
#include "base/log.h"
#include "net/messages/active.h"
#include "net/messages/calls.h"
#include "net/moves/awaits.h"
#include "net/moves/exchange.h"
#include "net/moves/outbox.h"
#include "net/moves/pushes.h"
#include "net/moves/shipments.h"
#include "net/run/agreement.h"
#include "net/run/joining.h"
#include "net/run/membership.h"
#include "net/run/progress.h"
#include "net/run/termination.h"
#include "os/linux/futex.h"
#include "sched/sched.h"
#include "thread/parked.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

Event<int> node_leaves, node_departed;

namespace {

constexpr int heir = 0;
constexpr uint64_t burst_ns = 2000000;        // so long at a time
constexpr uint64_t pause_ns = 200000;         // between two looks, while there is progress
constexpr uint64_t pause_most_ns = 100000000; // and while there is none
constexpr uint64_t pass_ns = 2000000000;      // between two looks at threads that are not ready, while ready ones leave
constexpr uint64_t report_ns = 500000000;
constexpr uint64_t recall_ns = 20000000; // between two questions for the same answers
constexpr size_t words_most = 400;       // bytes of what keeps the node
constexpr int pieces_most = 4;           // on their way to the heir

EstatePart *parts;
Remainder *remainders;

/// The one node that is about to leave, as this node knows it.
int leaver = -1;
enum class Stage : uint8_t {
  drains,      // nothing new goes there
  parts,       // as soon as no request for it waits here, what is for its keeper is held back
  has_parted,  // this node has sent its farewell, or is the one that leaves, and waits for those of others
  hands_over,  // the one that leaves sends its estate
  handed_over, // it is done
  inherited,   // the heir has the estate, and the rest of the leaver's messages is still on its way
};
Stage stage;

struct Farewell {
  bool said;
  uint64_t sent;
};
Farewell *farewells; // by node: of those that stay, to the one that leaves; or of that one, to this node

/// A piece of the estate that waits for the departure.
struct Piece {
  Piece *next;
  EstatePart *part;
  int from;
  EstateMessage *message;
  size_t data_bytes;
};
Fifo<Piece> pieces;

// --- the node that leaves: what the library keeps --------------------------------------------------------------------

constexpr size_t library_parts_most = 8;
void (*library_parts[library_parts_most])();
size_t library_part_count;
bool library_stays; // for want of memory

void begin_library_parts() {
  library_stays = false;
  for (size_t i = 0; i < library_part_count; i++)
    if (!thread_of_runtime(library_parts[i], 0, 0, 0, "it hands over what the library keeps on this node"))
      library_stays = true;
}

// --- the node that leaves: its threads -------------------------------------------------------------------------------

struct Evacuation {
  uint64_t *ids = nullptr; // of the threads to be looked at in this pass
  size_t count = 0, next = 0;
  bool moved = false;              // something has left in this pass
  uint64_t stay = 0;               // threads that cannot leave now, in the last whole pass
  uint64_t staying = 0;            // in this one
  char why[error_text_bytes] = ""; // of the last of them
  uint64_t pause_ns = skein::pause_ns, next_ns = 0;
  uint64_t pass_due_ns = 0; // when the next pass begins at the latest
};
Evacuation evacuation;
uint64_t *given, given_in_all; // threads, by the node that was to take them since this one began to leave
bool told_drained;
uint64_t next_report_ns, next_recall_ns;
uint64_t cursor; // in the estate
EstatePart *part_under_way;
int pieces_under_way;

/// The node that gets the next thread, whose stack has neighbours of that number, if any: one of those that have got
/// the fewest threads, or, if the difference is small beside the threads in all, the one that gets the neighbours, too.
/// -1: there is none that could take a thread.
int next_target(uint32_t neighbourhood) {
  constexpr uint64_t tolerated = 32; // one in so many
  int least = -1;
  uint32_t there = 0;
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_takes(peer)) {
      there++;
      if (least < 0 || given[peer] < given[least])
        least = peer;
    }
  if (least < 0)
    return -1;
  int to = least;
  if (neighbourhood != no_neighbours && there > 1) {
    uint32_t turn = neighbourhood % there;
    int its = 0;
    for (;; its++)
      if (its != node.self && link_takes(its) && turn-- == 0)
        break;
    if (given[its] - given[least] < given_in_all / tolerated)
      to = its;
  }
  given[to]++;
  given_in_all++;
  return to;
}

/// Sends threads that are ready. They may be stolen there before they have run.
void ship_ready(uint64_t until_ns) {
  const auto choose = [](const Thread &thread) { return next_target(stack_neighbourhood(thread.stack)); };
  if (threads_ready())
    evacuation.moved |= exchange_spread(choose, until_ns) > 0;
}

void list_threads() {
  const uint64_t room = threads_living() + 64;
  evacuation.ids = static_cast<uint64_t *>(malloc(room * sizeof(uint64_t)));
  evacuation.count = evacuation.next = 0;
  evacuation.staying = 0;
  if (!evacuation.ids)
    return;
  struct List {
    uint64_t *ids;
    size_t count, room;
  } list = {evacuation.ids, 0, room};
  const auto note = [](Thread *thread, void *context) {
    auto &[ids, count, most] = *static_cast<List *>(context);
    if (count < most && thread->state.load(std::memory_order_relaxed) != ThreadState::in_flight)
      ids[count++] = thread->id;
  };
  thread_each(note, &list);
  parked_each(note, &list);
  evacuation.count = list.count;
}

/// Sends threads away for a while. A handler.
void evacuate(void *) {
  const uint64_t until_ns = clock_ns() + burst_ns;
  ship_ready(until_ns);
  if (!evacuation.ids) {
    const uint64_t now = clock_ns();
    if (now >= until_ns && now < evacuation.pass_due_ns) {
      evacuation.pause_ns = pause_ns;
      return;
    }
    evacuation.pass_due_ns = now + pass_ns;
    list_threads();
  }
  while (evacuation.ids && evacuation.next < evacuation.count && clock_ns() < until_ns) {
    const uint64_t id = evacuation.ids[evacuation.next++];
    const int to = next_target(no_neighbours);
    Refusal why;
    if (to < 0)
      why.set(SKEIN_ENODE, "there is no other node");
    const Attempt attempt = to < 0 ? Attempt::stays : push_attempt(id, to, why);
    evacuation.moved |= attempt == Attempt::begun;
    bool stays = false;
    if (attempt == Attempt::stays)
      thread_with(id, [&](Thread *thread) {
        const ThreadState state = thread->state.load(std::memory_order_relaxed);
        stays = state != ThreadState::in_flight;
        if (state == ThreadState::blocked && thread->wait.reason)
          why.set(SKEIN_ETHREAD, "thread %s waits in %s", thread_name(id).text, thread->wait.reason);
      });
    if (stays) {
      evacuation.staying++;
      snprintf(evacuation.why, sizeof evacuation.why, "%s", why.text);
    }
  }
  if (!evacuation.ids || evacuation.next < evacuation.count)
    return;
  free(evacuation.ids); // the pass is over
  evacuation.ids = nullptr;
  evacuation.stay = evacuation.staying;
  evacuation.pause_ns = evacuation.moved ? pause_ns : std::min(2 * evacuation.pause_ns, pause_most_ns);
  evacuation.moved = false;
}

/// What keeps this node in the run, in words that follow its name; null: nothing does.
const char *what_stays(char *words, size_t bytes) {
  if (const uint64_t living = threads_living()) {
    if (evacuation.stay)
      snprintf(words, bytes, "has %llu threads, of which %llu cannot leave now, one of them because %s",
               static_cast<unsigned long long>(living), static_cast<unsigned long long>(evacuation.stay),
               evacuation.why);
    else
      snprintf(words, bytes, "has %llu threads", static_cast<unsigned long long>(living));
    return words;
  }
  if (library_stays)
    return "has no memory for the thread that hands over what the library keeps (take the drain back, and try again)";
  if (calls_under_way() || awaits_departed() || outbox_holds())
    return "waits for answers, or for answers to threads that have left";
  for (const Remainder *remainder = remainders; remainder; remainder = remainder->following)
    if (const char *why = remainder->stays(words, bytes))
      return why;
  return nullptr;
}

void report(uint64_t now, const char *why) {
  if (now < next_report_ns)
    return;
  next_report_ns = now + report_ns;
  start_say(bootstrap::Type::draining, node.self, static_cast<int>(threads_living()), why);
}

// --- the node that leaves: its estate --------------------------------------------------------------------------------

/// Whether all messages for this node as a keeper have come. No more will.
bool has_all() {
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_alive(peer) &&
        (!farewells[peer].said || link_handled(peer).as_keeper != farewells[peer].sent))
      return false;
  return true;
}

/// Whether nothing can change any more in what this node keeps: nothing runs here, nobody may ask for anything any
/// more, and no answer is awaited. A handler: if a message were handled between the two looks, it could begin
/// something.
void look_if_final(void *context) {
  char words[words_most];
  *static_cast<bool *>(context) = has_all() && !what_stays(words, sizeof words);
}

void finish_piece(const Call &, const ReplyMessage *reply, size_t) {
  pieces_under_way--;
  if (reply)
    progress_wake_within(0);
}

/// Sends pieces as long as not too many are under way. A handler.
void hand_over(void *) {
  while (part_under_way && pieces_under_way < pieces_most)
    if (!part_under_way->next(cursor)) {
      part_under_way = part_under_way->following;
      cursor = 0;
    }
  if (part_under_way || pieces_under_way)
    return;
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self && link_alive(peer))
      link_tell<FarewellMessage>(peer, uint64_t{1}, link_fall_silent(peer));
  stage = Stage::handed_over;
  membership_stop(); // the others stop talking to this node one after the other
  start_say(bootstrap::Type::handed_over, node.self, 0, "");
}

uint64_t leave(uint64_t now) {
  if (stage == Stage::handed_over)
    return UINT64_MAX;
  if (stage == Stage::hands_over) {
    link_exclusive(hand_over, nullptr);
    return pause_ns;
  }
  if (now >= evacuation.next_ns) {
    if (threads_living())
      link_exclusive(evacuate, nullptr);
    evacuation.next_ns = now + evacuation.pause_ns;
  }
  if (outbox_holds())
    outbox_flush(true);
  if (awaits_departed() && now >= next_recall_ns) {
    await_recall();
    next_recall_ns = now + recall_ns;
  }
  char words[words_most];
  const char *why = what_stays(words, sizeof words);
  if (why)
    report(now, why);
  else if (!told_drained)
    start_say(bootstrap::Type::drained, node.self, 0, "");
  told_drained |= !why;
  bool is_final = false;
  if (!why)
    link_exclusive(look_if_final, &is_final);
  if (is_final) {
    stage = Stage::hands_over;
    part_under_way = parts;
    cursor = 0;
    return 0;
  }
  return evacuation.pause_ns;
}

// --- the others ------------------------------------------------------------------------------------------------------

/// Says farewell to the leaver once it has said what became of all threads that went there, no request for it waits for
/// credits, and what was written there has arrived. A handler.
void part(void *) {
  if (stage != Stage::parts || shipments_go_to(leaver) || active_waits(leaver) || !link_may_part(leaver))
    return;
  outbox_send(leaver);
  stage = Stage::has_parted;
  link_tell<FarewellMessage>(leaver, uint64_t{0}, link_part(leaver));
}

void on_farewell(Arrival &arrival) {
  const auto &farewell = arrival.body<FarewellMessage>();
  const int expected = farewell.leaves ? arrival.from : node.self;
  if (expected != leaver)
    return link_reject(arrival.from, MessageType::farewell, "node %d is not about to leave", expected);
  farewells[arrival.from] = {true, farewell.sent};
}

void free_pieces() {
  while (Piece *piece = pieces.pop()) {
    free(piece->message);
    free(piece);
  }
}

EstatePart *part_of(uint64_t kind) {
  EstatePart *found = parts;
  while (found && found->kind != static_cast<EstateKind>(kind))
    found = found->following;
  return found;
}

void on_estate(Arrival &arrival) {
  const auto &estate = arrival.body<EstateMessage>();
  const uint64_t call = estate.call;
  EstatePart *part = part_of(estate.kind);
  Complaint wrong;
  if (arrival.from != leaver)
    return link_reject(arrival.from, MessageType::estate, "it is not about to leave");
  if (!part || !part->check(arrival.from, arrival.data<EstateMessage>(), arrival.data_bytes<EstateMessage>(), wrong))
    return link_reject(arrival.from, MessageType::estate, "%s", part ? wrong.text : "nobody keeps what it brings");
  if (part->at_once) {
    part->take(arrival.from, arrival.data<EstateMessage>(), arrival.data_bytes<EstateMessage>());
  } else {
    auto *piece = static_cast<Piece *>(message_memory(sizeof(Piece)));
    *piece = {nullptr, part, arrival.from, static_cast<EstateMessage *>(arrival.message),
              arrival.data_bytes<EstateMessage>()};
    pieces.push(piece);
    arrival.message = nullptr;
  }
  call_reply(arrival.from, call, SKEIN_OK);
}

/// The heir takes the estate, and every node sends it what it has held back. A handler.
void inherit(void *) {
  for (Piece *piece = pieces.first(); piece; piece = piece->next)
    piece->part->take(piece->from, piece->message + 1, piece->data_bytes);
  free_pieces();
  link_inherit(leaver);
  stage = Stage::inherited;
}

/// All that the leaver has ever sent to this node is handled. A handler.
void depart(void *) {
  const int left = leaver;
  leaver = -1;
  link_forget(left);
  calls_leave(left);
  active_fail(left);
  agreement_fail(left);
  termination_depart();
  node_departed(left);
}

uint64_t let_leave() {
  if (stage == Stage::parts)
    link_exclusive(part, nullptr);
  const bool waits = stage == Stage::parts || stage == Stage::inherited;
  if (stage != Stage::inherited || !farewells[leaver].said || link_handled(leaver).all != farewells[leaver].sent)
    return waits ? pause_ns : UINT64_MAX;
  const int left = leaver;
  link_exclusive(depart, nullptr);
  start_say(bootstrap::Type::departed, left, 0, "");
  return UINT64_MAX;
}

struct Drain {
  int peer;
  bool leaves;
};

/// A handler.
void drain(void *context) {
  const auto &[peer, leaves] = *static_cast<const Drain *>(context);
  link_leaves(peer, leaves ? Leaves::drains : Leaves::stays);
  leaver = leaves ? peer : -1;
  stage = Stage::drains;
  memset(farewells, 0, static_cast<size_t>(node.count) * sizeof *farewells);
  free(evacuation.ids);
  evacuation = {};
  evacuation.pass_due_ns = clock_ns() + pass_ns;
  memset(given, 0, static_cast<size_t>(node.count) * sizeof *given);
  given_in_all = 0;
  told_drained = false;
  agreement_look();
  if (leaves)
    node_leaves(peer);
  if (leaves && peer == node.self)
    begin_library_parts();
}

} // namespace

extern "C" void __skein_when_leaving(void (*function)()) {
  if (library_part_count == library_parts_most)
    fatal("the library has more than %zu parts that keep things on nodes", library_parts_most);
  library_parts[library_part_count++] = function;
}

extern "C" int __skein_node_leaves(int number) {
  return node_has_left(number) || (number >= 0 && number < node.count && link_alive(number) && !link_takes(number));
}

void estate_add(EstatePart &part) {
  part.following = parts;
  parts = &part;
}

void remainder_add(Remainder &remainder) {
  remainder.following = remainders;
  remainders = &remainder;
}

void estate_send(EstateKind kind, const void *data, size_t bytes) {
  auto *message = message_new<EstateMessage>(bytes);
  message->call = call_begin({finish_piece, heir, nullptr, 0, nullptr, 0});
  message->kind = static_cast<uint64_t>(kind);
  memcpy(message + 1, data, bytes);
  const uint64_t call = message->call;
  pieces_under_way++;
  link_send(heir, message, bytes);
  call_sent(call);
}

void leaving_start() {
  link_handle<FarewellMessage>(on_farewell);
  link_handle<EstateMessage>(on_estate);
  farewells = static_cast<Farewell *>(calloc(static_cast<size_t>(node.count), sizeof(Farewell)));
  given = static_cast<uint64_t *>(calloc(static_cast<size_t>(node.count), sizeof *given));
  if (!farewells || !given)
    fatal("out of memory for %d peers", node.count);
}

bool leaving_under_way() { return leaver >= 0; }

void leaving_drain(int peer, bool leaves) {
  Drain what = {peer, leaves};
  link_exclusive(drain, &what);
}

void leaving_part(int peer) {
  if (peer != leaver)
    return;
  link_leaves(peer, Leaves::parts); // so that requests that wait for credits become fewer
  stage = Stage::parts;
}

void leaving_departed(int peer) {
  if (peer == leaver)
    link_exclusive(inherit, nullptr);
}

void leaving_fail(int peer) {
  if (peer != leaver)
    return;
  leaver = -1;
  free_pieces();
}

uint64_t leaving_tick(uint64_t now) {
  if (leaver < 0)
    return UINT64_MAX;
  return leaver == node.self ? leave(now) : let_leave();
}

} // namespace skein
