// The answers; see answers.h. Each is one object of JSON.
#include "monitor/answers.h"

#include "balance/policy.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/node.h"
#include "net/moves/pushes.h"
#include "net/run/statistics.h"
#include "os/linux/futex.h"
#include "sched/sched.h"
#include "sched/worker.h"
#include "thread/function_name.h"
#include "thread/parked.h"
#include "thread/thread.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <skein/skein.h>

namespace skein {

namespace {

constexpr size_t threads_named_most = 1000; // in one answer
constexpr size_t functions_most = 256;      // likewise
constexpr size_t moves_kept = 256;

// --- moves -----------------------------------------------------------------------------------------------------------

struct Move {
  uint64_t ns, id;
  uintptr_t function;
  int to;
};

SpinLock moves_lock{Rank::leaf};
Move moves[moves_kept];   // number n is at n % moves_kept
uint64_t moves_count = 0; // that have been noted so far
uint64_t moves_to[nodes_max];

void note_move(Thread *thread, int to) {
  const uint64_t now = clock_ns();
  Guard guard(moves_lock);
  moves[moves_count++ % moves_kept] = {now, thread->id, reinterpret_cast<uintptr_t>(thread->start.function), to};
  moves_to[to]++;
}

// --- figures ---------------------------------------------------------------------------------------------------------

void put_statistics(JsonLine &line) {
  const skein_statistics all = statistics_here();
  const struct {
    const char *name;
    uint64_t value;
  } figures[] = {{"threads_living", all.threads_living},
                 {"threads_ready", all.threads_ready},
                 {"workers_busy", all.workers_busy},
                 {"cpu_us", all.cpu_us},
                 {"threads_spawned", all.threads_spawned},
                 {"threads_ended", all.threads_ended},
                 {"threads_sent", all.threads_sent},
                 {"threads_received", all.threads_received},
                 {"threads_stolen", all.threads_stolen},
                 {"moves_refused", all.moves_refused},
                 {"bytes_sent", all.bytes_sent},
                 {"bytes_received", all.bytes_received},
                 {"pointers_relocated", all.pointers_relocated},
                 {"channels_sent", all.channels_sent}};
  for (const auto &figure : figures)
    line.number(figure.name, figure.value);
}

void put_links(JsonLine &line) {
  line.open('[', "links");
  for (int peer = 0; peer < node.count; peer++) {
    if (peer == node.self)
      continue;
    line.open('{');
    line.number("node", static_cast<uint64_t>(peer));
    line.truth("alive", link_alive(peer));
    line.number("channel_messages", statistics.channels_sent[peer].load(std::memory_order_relaxed));
    uint64_t sent;
    {
      Guard guard(moves_lock);
      sent = moves_to[peer];
    }
    line.number("threads", sent);
    line.close('}');
  }
  line.close(']');
}

void put_function(JsonLine &line, uintptr_t function) {
  char name[160];
  line.text("function", function ? function_name(function, name, sizeof name) : "(arriving)");
}

/// The moves from number `since` on that are still known.
void put_moves(JsonLine &line, uint64_t since) {
  static Move copies[moves_kept]; // only the monitor's kernel thread is here
  uint64_t count;
  {
    Guard guard(moves_lock);
    count = moves_count;
    if (since > count)
      since = count;
    if (count - since > moves_kept)
      since = count - moves_kept;
    for (uint64_t i = since; i < count; i++)
      copies[i - since] = moves[i % moves_kept];
  }
  line.number("moves_noted", count);
  line.open('[', "moves");
  for (uint64_t i = since; i < count; i++) {
    const Move &move = copies[i - since];
    line.open('{');
    line.number("ns", move.ns);
    line.number("id", move.id);
    put_function(line, move.function);
    line.number("to", static_cast<uint64_t>(move.to));
    line.close('}');
  }
  line.close(']');
}

void answer_figures(const char *rest, JsonLine &line) {
  line.number("node", static_cast<uint64_t>(node.self));
  line.number("nodes", static_cast<uint64_t>(nodes_taken()));
  line.number("process", static_cast<uint64_t>(getpid()));
  line.text("program", program_invocation_short_name);
  line.number("ns", clock_ns()); // one clock for all nodes of a host
  line.number("workers", workers_count());
  line.text("policy", balance_policy());
  line.truth("balancing", balance_is_on());
  put_statistics(line);
  put_links(line);
  put_moves(line, *rest ? strtoull(rest, nullptr, 10) : UINT64_MAX);
}

// --- threads ---------------------------------------------------------------------------------------------------------

/// What is read of a thread under the table's lock; names are looked up later.
struct Seen {
  uint64_t id, stack_bytes;
  uintptr_t function;
  const char *waits_in; // a text of the program, or of the runtime
  ThreadState state;
  uint32_t worker;
  uint16_t moves;
  char name[thread_name_bytes];
};
struct Group {
  uintptr_t function;
  uint64_t running, ready, waiting, other;
};
struct Survey {
  Seen seen[threads_named_most];
  Group groups[functions_most];
  size_t count, most, group_count;
  uint64_t all, without_group;
};

void count_in_group(Survey &survey, uintptr_t function, ThreadState state) {
  size_t at = 0;
  while (at < survey.group_count && survey.groups[at].function != function)
    at++;
  if (at == survey.group_count) {
    if (at == functions_most) {
      survey.without_group++;
      return;
    }
    survey.groups[survey.group_count++] = {function, 0, 0, 0, 0};
  }
  Group &group = survey.groups[at];
  switch (state) {
  case ThreadState::running:
    group.running++;
    break;
  case ThreadState::initialised:
  case ThreadState::ready:
    group.ready++;
    break;
  case ThreadState::blocked:
    group.waiting++;
    break;
  default:
    group.other++;
  }
}

/// The table's lock keeps the record in its place, but whoever runs the thread may change it meanwhile. What is read is
/// only told, and never followed, except for a text that lives as long as the program.
[[clang::no_sanitize("thread")]] void see(Thread *thread, void *context) {
  auto &survey = *static_cast<Survey *>(context);
  const auto function = reinterpret_cast<uintptr_t>(thread->start.function);
  const ThreadState state = thread->state.load(std::memory_order_relaxed);
  survey.all++;
  count_in_group(survey, function, state);
  if (survey.count == survey.most)
    return;
  Seen &seen = survey.seen[survey.count++];
  seen = {.id = thread->id,
          .stack_bytes = 0,
          .function = function,
          .waits_in = state == ThreadState::blocked ? __atomic_load_n(&thread->wait.reason, __ATOMIC_RELAXED) : nullptr,
          .state = state,
          .worker = thread->worker,
          .moves = thread->moves,
          .name = {}};
  memcpy(seen.name, thread->name, sizeof seen.name - 1);
  const auto *sp = static_cast<const std::byte *>(thread->sp);
  if (state != ThreadState::running && sp > thread->stack.low && sp < thread->stack.high)
    seen.stack_bytes = static_cast<uint64_t>(thread->stack.high - sp);
}

void put_seen(JsonLine &line, const Seen &seen) {
  line.open('{');
  line.number("id", seen.id);
  if (seen.name[0])
    line.text("name", seen.name);
  line.text("state", thread_state_name(seen.state));
  put_function(line, seen.function);
  if (seen.waits_in)
    line.text("waits_in", seen.waits_in);
  if (seen.state == ThreadState::running)
    line.number("worker", seen.worker);
  line.number("stack_bytes", seen.stack_bytes);
  line.number("moves", seen.moves);
  line.close('}');
}

void answer_threads(const char *rest, JsonLine &line) {
  static Survey survey; // only the monitor's kernel thread is here
  const uint64_t wanted = *rest ? strtoull(rest, nullptr, 10) : threads_named_most;
  survey.count = survey.group_count = 0;
  survey.all = survey.without_group = 0;
  survey.most = wanted < threads_named_most ? wanted : threads_named_most;
  thread_each(see, &survey);
  parked_each(see, &survey);
  line.number("node", static_cast<uint64_t>(node.self));
  line.number("all", survey.all);
  line.open('[', "functions");
  for (size_t i = 0; i < survey.group_count; i++) {
    const Group &group = survey.groups[i];
    line.open('{');
    put_function(line, group.function);
    line.number("running", group.running);
    line.number("ready", group.ready);
    line.number("waiting", group.waiting);
    line.number("other", group.other);
    line.close('}');
  }
  line.close(']');
  line.number("of_other_functions", survey.without_group);
  line.open('[', "threads");
  for (size_t i = 0; i < survey.count; i++)
    put_seen(line, survey.seen[i]);
  line.close(']');
}

// --- requests that change something ----------------------------------------------------------------------------------

void answer_end(JsonLine &line, const char *error) {
  line.truth("ok", !error);
  if (error)
    line.text("error", error);
}

void answer_push(const char *rest, JsonLine &line) {
  unsigned long long id;
  int to;
  char more;
  if (sscanf(rest, "%llu %d %c", &id, &to, &more) != 2)
    return answer_end(line, "which thread, and where to? push ID NODE");
  if (to < 0 || to >= node.count || to == node.self || !link_takes(to))
    return answer_end(line, "there is no such other node");
  Refusal why;
  const bool begun = push_for_nobody(id, to, why);
  answer_end(line, begun ? nullptr : why.text);
}

void answer_balancing(const char *rest, JsonLine &line) {
  const bool on = !strcmp(rest, "on");
  if (!on && strcmp(rest, "off") != 0)
    return answer_end(line, "balancing on, or balancing off?");
  if (node.count == 1)
    return answer_end(line, "there is one node, and nothing to balance");
  balance_set(on);
  answer_end(line, nullptr);
}

void answer_policy(const char *rest, JsonLine &line) {
  if (node.count == 1)
    return answer_end(line, "there is one node, and nothing to balance");
  char names[512];
  if (balance_choose(rest, names, sizeof names))
    return answer_end(line, nullptr);
  char error[600];
  snprintf(error, sizeof error, "this program has the policies %s", names);
  answer_end(line, error);
}

const struct {
  const char *name;
  void (*answer)(const char *rest, JsonLine &line);
} requests[] = {{"figures", answer_figures},
                {"threads", answer_threads},
                {"push", answer_push},
                {"balancing", answer_balancing},
                {"policy", answer_policy}};

} // namespace

void answers_start() { events.outgoing.add(note_move); }

void answer_request(const char *request, JsonLine &line) {
  const size_t length = strcspn(request, " ");
  const char *rest = request + length + strspn(request + length, " ");
  line.open('{');
  for (const auto &known : requests)
    if (strlen(known.name) == length && !memcmp(known.name, request, length)) {
      known.answer(rest, line);
      line.close('}');
      return line.end();
    }
  answer_end(line, "there is no such request; there are figures, threads, push, balancing and policy");
  line.close('}');
  line.end();
}

} // namespace skein
