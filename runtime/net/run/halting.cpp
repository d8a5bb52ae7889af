// See halting.h.
#include "net/run/halting.h"
#include "base/knobs.h"
#include "base/log.h"
#include "net/moves/outbox.h"
#include "net/run/joining.h"
#include "net/run/leaving.h"
#include "net/run/membership.h"
#include "net/run/progress.h"
#include "net/run/termination.h"
#include "net/wire/link.h"
#include "os/linux/futex.h"
#include "sched/halt.h"
#include "sched/sched.h"
#include "sched/time_slices.h"

#include <cerrno>
#include <cstdio>

namespace skein {

using bootstrap::Type;

std::atomic<bool> net_silent{false};
void (*checkpoint_cut)(int number, const char *folder);
void (*checkpoint_kept)(int number, int status, const char *why);
Event<> node_reborn;

namespace {

constexpr uint64_t look_ns = 1'000'000;       // between two looks whether the node has halted
constexpr uint64_t report_ns = 1'000'000'000; // between two reports that it does not
constexpr size_t words_most = 400;

HaltPart *parts;

// All of this is the progress thread's.
int halted_for; // the checkpoint's number; 0: the node goes on
bool asked;     // the launcher wants to hear that the node has halted
uint64_t began_ns, reported_ns;

/// Why the node has not halted, in words that follow "node 3 "; null: it has.
const char *what_is_busy(uint64_t now, char *words, size_t bytes) {
  if (!workers_halted()) {
    char who[256];
    const auto seconds = static_cast<unsigned>((now - began_ns) / 1'000'000'000);
    if (!workers_describe(who, sizeof who))
      return "has a worker that is between two threads";
    snprintf(words, bytes, "waits for threads to stop: %s and has not come to a migration point for %u s%s", who,
             seconds, polls_compiled() ? "" : " (loops have some with -fskein-polls=loops)");
    return words;
  }
  if (leaving_under_way())
    return "is in a run of which a node is about to leave";
  if (link_has_newcomer())
    return "is in a run to which a node is just coming";
  if (outbox_holds() || (messages_about_to_leave && messages_about_to_leave()))
    return "has messages that it has not sent yet";
  for (const HaltPart *part = parts; part; part = part->following)
    if (const char *why = part->busy(words, bytes))
      return why;
  return nullptr;
}

void say_halted() {
  // Workers have halted, and this kernel thread is the only one that handles messages. So both counts are of one
  // moment.
  const Messages messages = link_messages();
  const bootstrap::Counts counts = {messages.sent, messages.handled};
  start_say_bytes(Type::halted, halted_for, 0, &counts, sizeof counts);
  asked = false;
}

/// Whether a packet about checkpoint `number` is about the one for which this node has halted.
bool halted_for_this(int number, const char *packet) {
  if (halted_for && number == halted_for)
    return true;
  log("`skein run` says %s for checkpoint %d, and this node has %s", packet, number,
      halted_for ? "halted for another one" : "not halted");
  return false;
}

} // namespace

void halt_part_add(HaltPart &part) {
  part.following = parts;
  parts = &part;
}

void halting_start() {
  workers_have_halted = [] { progress_wake_within(0); };
}

void halting_halt(int number) {
  if (halted_for)
    fatal("`skein run` begins checkpoint %d, and checkpoint %d is not over", number, halted_for);
  halted_for = number;
  asked = true;
  began_ns = reported_ns = clock_ns();
  net_silent.store(true, std::memory_order_release);
  workers_halt();
}

void halting_count(int number) {
  if (halted_for_this(number, "count"))
    asked = true;
}

void halting_go_on(int number) {
  if (halted_for_this(number, "go_on"))
    net_go_on();
}

bool halting_cut(int number, const char *folder) {
  if (!halted_for_this(number, "cut"))
    return true;
  if (knobs.fault == Fault::reborn) {
    rebirth_begin();
    return false;
  }
  if (checkpoint_cut)
    checkpoint_cut(number, folder);
  else
    start_say(Type::copied, number, ENOSYS, "this program cannot make copies of itself");
  return true;
}

void halting_kept(int number, int status, const char *why) {
  if (checkpoint_kept)
    checkpoint_kept(number, status, why);
}

uint64_t halting_tick(uint64_t now) {
  if (!asked)
    return UINT64_MAX;
  char words[words_most];
  const char *why = what_is_busy(now, words, sizeof words);
  if (!why) {
    say_halted();
    return UINT64_MAX;
  }
  if (!workers_halted())
    workers_interrupt();
  if (now - reported_ns >= report_ns) {
    reported_ns = now;
    start_say(Type::halting, halted_for, 0, why);
  }
  return look_ns;
}

void net_go_on() {
  for (HaltPart *part = parts; part; part = part->following)
    if (part->go_on)
      part->go_on();
  halted_for = 0;
  asked = false;
  membership_renew(false);
  net_silent.store(false, std::memory_order_release);
  workers_go_on();
  progress_wake_within(0);
}

} // namespace skein
