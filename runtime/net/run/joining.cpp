// How a node joins a run: the packets of net/wire/bootstrap.h from the node's side, and then everything that the
// progress thread hears from the launcher.
//
// The socket's number comes in an environment variable that is removed at once, and the socket is closed on exec, so
// that a program which starts other programs does not make nodes of them.
#include "net/run/joining.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "base/reborn.h"
#include "migrate/leftovers.h"
#include "migrate/library_variables.h"
#include "migrate/maps.h"
#include "migrate/modules.h"
#include "migrate/program_numbers.h"
#include "net/messages/active.h"
#include "net/messages/calls.h"
#include "net/messages/lent_memory.h"
#include "net/messages/pending.h"
#include "net/messages/windows.h"
#include "net/moves/births.h"
#include "net/moves/exchange.h"
#include "net/moves/given_back.h"
#include "net/moves/outbox.h"
#include "net/moves/pushes.h"
#include "net/moves/random_walk.h"
#include "net/moves/refused.h"
#include "net/moves/steals.h"
#include "net/paging/page_channel.h"
#include "net/run/agreement.h"
#include "net/run/halting.h"
#include "net/run/leaving.h"
#include "net/run/membership.h"
#include "net/run/newcomers.h"
#include "net/run/progress.h"
#include "net/run/statistics.h"
#include "net/run/stdio.h"
#include "net/run/termination.h"
#include "net/run/tracing.h"
#include "net/wire/bootstrap.h"
#include "net/wire/link.h"
#include "net/wire/secret.h"
#include "net/wire/siphash.h"
#include "net/wire/transport.h"
#include "os/linux/descriptors.h"
#include "os/linux/futex.h"
#include "os/linux/own_thread.h"
#include "private/globals/globals.h"
#include "sched/halt.h"
#include "sched/sched.h"
#include "sync/ending.h"
#include "sync/join.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/personality.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace skein {

using bootstrap::Type;

namespace {

// All nodes have the addresses by then, so a hello takes milliseconds. After this time the launcher is told which node
// is missing; it knows when to give up.
constexpr uint64_t hello_patience_ns = 3000000000;

int launcher = -1;
pid_t this_process;
int slice_files[bootstrap::nodes_max];
bool late;                          // this node comes to a run that has begun
bool told_of[bootstrap::nodes_max]; // where they are, by the launcher, before the start
bool several_hosts;
bool reborn;                          // this process is made of a copy
bool was_there[bootstrap::nodes_max]; // when that was made
std::atomic<bool> leaving{false};
int final_status;

/// Nodes that died before the run had begun, in a run that goes on without them.
struct EarlyDeath {
  int node;
  char how[128];
};
EarlyDeath *early_deaths;
int early_deaths_count;

bool died_early(int peer) {
  return std::any_of(early_deaths, early_deaths + early_deaths_count,
                     [&](const EarlyDeath &death) { return death.node == peer; });
}

void tell_launcher_bytes(Type type, int about, int status, const void *data, size_t bytes) {
  bootstrap::Packet packet;
  packet.header = {.type = type, .node = about, .status = status};
  bytes = std::min(bytes, sizeof packet.bytes);
  memcpy(packet.bytes, data, bytes);
  send(launcher, &packet, sizeof packet.header + bytes, MSG_NOSIGNAL);
}
void tell_launcher(Type type, int about, int status, const char *text = "") {
  tell_launcher_bytes(type, about, status, text, strlen(text));
}

/// A packet of the launcher. The descriptors that came along are closed with it.
struct Received : bootstrap::Packet {
  int descriptors[bootstrap::address_descriptors_max] = {-1, -1};

  Received() = default;
  Received(const Received &) = delete;
  ~Received() { close_descriptors(); }
  void close_descriptors() {
    for (int &descriptor : descriptors)
      if (descriptor >= 0)
        close(std::exchange(descriptor, -1));
  }
  skein_transport_address address(ssize_t length) const {
    static_assert(bootstrap::address_descriptors_max == SKEIN_TRANSPORT_DESCRIPTORS);
    return {bytes, static_cast<size_t>(length), {descriptors[0], descriptors[1]}};
  }
};

/// Receives one packet. Returns the number of bytes behind the header; -1 if the launcher is gone, -2 if there is none
/// yet.
ssize_t receive_packet(Received &packet, int flags) {
  packet.close_descriptors();
  ssize_t bytes = receive_with(launcher, static_cast<bootstrap::Packet *>(&packet), sizeof(bootstrap::Packet),
                               packet.descriptors, bootstrap::address_descriptors_max, flags);
  if (bytes < 0 && errno == EAGAIN)
    return -2;
  if (bytes <= 0)
    return -1;
  if (bytes < static_cast<ssize_t>(sizeof packet.header) || packet.header.magic != bootstrap::magic ||
      packet.header.version != bootstrap::version)
    fatal("`skein run` is of another version of Skein than this program");
  return bytes - static_cast<ssize_t>(sizeof packet.header);
}

void become(const bootstrap::Welcome &welcome) {
  node.self = welcome.header.node;
  node.count = welcome.count;
  node.founders = welcome.founders;
  late = welcome.flags & bootstrap::welcome_late;
  several_hosts = welcome.flags & bootstrap::welcome_several_hosts;
  nodes_taken_set(std::max(welcome.founders, node.self + 1));
  const bool elsewhere = several_hosts || knobs.image == ImagePlace::any;
  if (elsewhere && node.count > node.founders)
    modules_differ = true; // on a node that may come later
  node.seed = welcome.seed;
}

/// The process is made of a copy, and is the node that it was. All that follows from a node's number is in its memory.
void become_again(const bootstrap::Welcome &welcome) {
  const bool hosts = welcome.flags & bootstrap::welcome_several_hosts;
  if (!(welcome.flags & bootstrap::welcome_restored) || welcome.header.node != node.self ||
      welcome.count != node.count || welcome.founders != node.founders)
    fatal("`skein restart` says that this is node %d of %d, but the checkpoint is that of node %d of %d",
          welcome.header.node, welcome.count, node.self, node.count);
  if (hosts != several_hosts)
    fatal("the nodes of the checkpoint were on %s, and shared memory lies elsewhere on %s",
          several_hosts ? "several hosts" : "one host", hosts ? "several" : "one");
  late = false; // each node knows all that it had been told
}

void receive_welcome() {
  bootstrap::Welcome welcome;
  int files[bootstrap::nodes_max + 1];
  const ssize_t bytes = receive_with(launcher, &welcome, sizeof welcome, files, std::size(files), 0);
  if (bytes != sizeof welcome || welcome.header.magic != bootstrap::magic ||
      welcome.header.version != bootstrap::version || welcome.header.type != Type::welcome)
    fatal("`skein run` is of another version of Skein than this program");
  constexpr uint32_t any_number = bootstrap::welcome_late | bootstrap::welcome_restored;
  const int numbers = welcome.flags & any_number ? welcome.count : welcome.founders;
  if (welcome.count < 1 || welcome.count > bootstrap::nodes_max || welcome.founders < 1 ||
      welcome.founders > welcome.count || welcome.header.node < 0 || welcome.header.node >= numbers)
    fatal("`skein run` says that this is node %d of %d", welcome.header.node, welcome.count);
  // On several hosts each node's shared memory is its own.
  int count = welcome.flags & bootstrap::welcome_several_hosts ? 0 : welcome.count;
  std::fill_n(slice_files, welcome.count, -1);
  std::copy_n(files, count, slice_files);
  if (welcome.flags & bootstrap::welcome_stacks)
    node.stacks = files[count++];
  if (count && files[count - 1] < 0)
    fatal("the memory files of the run did not arrive (too many open files? ulimit -n)");
  memcpy(run_secret(), welcome.token, sizeof welcome.token);
  reborn ? become_again(welcome) : become(welcome);
  explicit_bzero(welcome.token, sizeof welcome.token);
  if (welcome.flags & bootstrap::welcome_addresses_fixed) // for the nodes, not for the programs that they start
    personality(static_cast<unsigned long>(personality(0xffffffff)) & ~static_cast<unsigned long>(ADDR_NO_RANDOMIZE));
}

/// Handles a packet before the run has begun. False: it changes nothing for this node.
bool heed_before_start(const bootstrap::Packet &packet, ssize_t length) {
  if (length < 0)
    _exit(fatal_status); // the launcher is gone
  if (packet.header.type == Type::quit)
    _exit(0); // another node could not join; the launcher has said so
  if (packet.header.type == Type::died) {
    if (knobs.deaths != Deaths::survive || packet.header.node == 0)
      fatal("node %d %.*s before the run had begun", packet.header.node, static_cast<int>(length), packet.bytes);
    if (!early_deaths)
      early_deaths = static_cast<EarlyDeath *>(message_memory(static_cast<size_t>(node.count) * sizeof(EarlyDeath)));
    EarlyDeath &death = early_deaths[early_deaths_count++]; // the launcher says it once of each node
    death.node = packet.header.node;
    snprintf(death.how, sizeof death.how, "%.*s", static_cast<int>(length), packet.bytes);
    link_forget(death.node);
  }
  if (packet.header.type == Type::departed)
    link_inherit(packet.header.node); // long since
  if (packet.header.type == Type::ping)
    tell_launcher(Type::alive, node.self, 0);
  return packet.header.type == Type::peer || packet.header.type == Type::start || packet.header.type == Type::begin;
}

/// Drives the transport, so that others can connect to this node, until `met` returns true. It is also called after
/// each packet from the launcher.
template <class Predicate> void drive_until(Predicate met) {
  Received packet;
  packet.header.type = Type::welcome;
  while (!met(packet.header.type)) {
    if (link_drive(true))
      continue;
    if (ssize_t length = receive_packet(packet, MSG_DONTWAIT); length != -2) {
      heed_before_start(packet, length);
      continue;
    }
    timespec nap = {0, 50000};
    nanosleep(&nap, nullptr);
  }
}

/// Whether a node of which the launcher has told has said hello, and a newcomer knows from it all that it has to know.
bool has_met(int peer) {
  HelloMessage hello;
  return link_hello(peer, hello) && (!late || newcomer_informed_by(peer));
}

/// Waits until all others have said hello, so that no node gets a message from one that it cannot answer. Then it waits
/// until all others are as far, so that no node ends the run while two others still connect.
void wait_for_hellos() {
  uint64_t patience = clock_ns() + hello_patience_ns;
  int peer = 0;
  drive_until([&](Type) {
    while (peer < node.count && (!told_of[peer] || has_met(peer) || died_early(peer)))
      peer++;
    if (peer < node.count && clock_ns() > patience) {
      tell_launcher(Type::misses, peer, 0);
      patience += hello_patience_ns;
    }
    return peer == node.count;
  });
  HelloMessage first;
  if (node.self != 0 && !link_same_build(0) && link_hello(0, first)) {
    log("this node runs another build of the program than node 0: build-id %s there, %s here. No thread moves between "
        "them, and neither runs a handler for the other",
        build_id_text(first.build_id).text, build_id_text(program_module().build_id).text);
  }
  tell_launcher(Type::met, node.self, 0);
  drive_until([](Type news) { return news == Type::begin; });
}

/// Sends this node's address to the launcher, gets those of all others, and connects to them.
void meet_the_others() {
  Received packet;
  const skein_transport_address own = link_address();
  if (own.count > sizeof packet.bytes)
    fatal("the transport's address has %zu bytes, more than a packet holds", own.count);
  packet.header = {.type = Type::address, .node = node.self};
  memcpy(packet.bytes, own.bytes, own.count);
  const size_t descriptors = (own.descriptors[0] >= 0) + (own.descriptors[1] >= 0);
  if (!send_with(launcher, static_cast<bootstrap::Packet *>(&packet), sizeof packet.header + own.count, own.descriptors,
                 descriptors))
    _exit(fatal_status); // the launcher is gone
  do {
    ssize_t length = receive_packet(packet, 0);
    const int peer = packet.header.node;
    if (heed_before_start(packet, length) && packet.header.type == Type::peer && peer != node.self && peer >= 0 &&
        peer < node.count) {
      told_of[peer] = true;
      link_meet(peer, packet.address(length));
    }
  } while (packet.header.type != Type::start);
  for (int peer = 0; late && peer < node.self; peer++)
    if (!told_of[peer])
      link_gone(peer);
  for (int peer = 0; reborn && peer < node.count; peer++)
    if (told_of[peer] != was_there[peer] && !died_early(peer))
      fatal("node %d was %s when the checkpoint was made, and %s now", peer, was_there[peer] ? "there" : "not there",
            told_of[peer] ? "is" : "is not");
  page_channel_meet();
  wait_for_hellos();
}

/// Handles a packet of the launcher during the run. In the progress thread; false: the run is over for this node.
bool listen_to_launcher() {
  Received packet;
  sigset_t faults;
  sigemptyset(&faults);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigaddset(&faults, fault);
  for (;;) {
    ssize_t length = receive_packet(packet, MSG_DONTWAIT);
    if (length == -2)
      return true;
    if (length == -1)
      _exit(fatal_status);
    switch (packet.header.type) {
    case Type::died: {
      char how[256];
      snprintf(how, sizeof how, "%.*s", static_cast<int>(length), packet.bytes);
      membership_died(packet.header.node, how);
      break;
    }
    case Type::peer:
      newcomer_announced(packet.header.node, packet.address(length));
      break;
    case Type::admit:
      newcomer_admitted(packet.header.node);
      if (node.self == 0)
        tell_launcher(Type::admitted, packet.header.node, 0);
      break;
    case Type::withdrawn:
      newcomer_withdrawn(packet.header.node);
      break;
    case Type::drain:
      leaving_drain(packet.header.node, packet.header.status != 0);
      break;
    case Type::part:
      leaving_part(packet.header.node);
      break;
    case Type::departed:
      leaving_departed(packet.header.node);
      break;
    case Type::ping:
      tell_launcher(Type::alive, node.self, 0);
      break;
    case Type::halt:
      halting_halt(packet.header.node);
      break;
    case Type::count:
      halting_count(packet.header.node);
      break;
    case Type::cut:
      packet.bytes[std::min(static_cast<size_t>(length), sizeof packet.bytes - 1)] = 0;
      if (!halting_cut(packet.header.node, packet.bytes))
        return false;
      break;
    case Type::go_on:
      halting_go_on(packet.header.node);
      break;
    case Type::kept:
      packet.bytes[std::min(static_cast<size_t>(length), sizeof packet.bytes - 1)] = 0;
      halting_kept(packet.header.node, packet.header.status, packet.bytes);
      break;
    case Type::quit:
      leaving.store(true);
      if (packet.header.status != 0)
        log("node %d ended the run with status %d", packet.header.node, packet.header.status);
      link_leave();
      globals_after_run(); // this thread runs exit handlers of the program, whose faults it has to hear of
      pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
      exit(0); // what stdio holds is written; a node that hangs in this is killed by the launcher
    case Type::end:
      final_status = node.self == 0 ? packet.header.status : 0;
      leaving.store(true);
      membership_stop();
      link_shut();
      tell_launcher(Type::done, node.self, 0);
      break;
    case Type::leave:
      link_close();
      sched_stop(final_status);
      return false;
    default:
      break;
    }
  }
}

void finished(int status) { tell_launcher(Type::finish, node.self, status); }

/// The program calls exit() while the run goes on, so the run is over.
void on_program_exit(int status, void *) {
  if (getpid() != this_process || leaving.exchange(true))
    return; // a child that the program forked, or the regular end
  tell_launcher(Type::exiting, node.self, status & 0xff);
  link_leave();
}

/// In the child of a fork: it is no node of the run, has no progress thread, and must not touch what the transport
/// shares with its parent. Every other node is dead to it.
void alone_after_fork() {
  leaving.store(true);
  events.processor_idle = nullptr;
  events.termination_check = nullptr;
  join_elsewhere = nullptr;
  detach_elsewhere = nullptr;
  cancel_elsewhere = nullptr;
  termination_after_fork();
}

uint64_t when_idle(Worker *) {
  if (balancer.idle)
    balancer.idle(); // its question is urgent, and no thread waits for the news in the outbox
  if (outbox_holds())
    outbox_flush(true);
  termination_idle();
  return progress_drive() ? 0 : forever;
}

} // namespace

void net_peek() {
  const char *number = getenv(bootstrap::descriptor_variable);
  bootstrap::Welcome welcome;
  if (!number || recv(atoi(number), &welcome, sizeof welcome, MSG_PEEK) != sizeof welcome ||
      welcome.header.magic != bootstrap::magic)
    return; // net_join will say what is wrong
  become(welcome);
  explicit_bzero(welcome.token, sizeof welcome.token);
}

void net_join() {
  const char *number = getenv(bootstrap::descriptor_variable);
  if (!number)
    return;
  launcher = atoi(number);
  unsetenv(bootstrap::descriptor_variable);
  fcntl(launcher, F_SETFD, FD_CLOEXEC);
  this_process = getpid();
  receive_welcome();
  if (const char *shares = getenv(bootstrap::shares_variable))
    node.shares = std::max(1, atoi(shares));
  unsetenv(bootstrap::shares_variable);
  if (knobs.workers == 0)
    knobs.workers = std::max(1u, cores() / nodes_on_same_cores(node.founders));
  stdio_start();
}

void net_start() {
  statistics_start();
  windows_start();
  events.forked.add(link_abandon);
  if (node.count == 1) {
    program_numbers_ignore();
    return termination_start_alone();
  }
  const char *library = getenv(bootstrap::transport_variable);
  if (!library)
    fatal("%s is not set; `skein run` sets it", bootstrap::transport_variable);
  modules_digest(); // before the transport is loaded, which need not lie at the same address
  library_variables_before_own();
  link_open(library, late);
  calls_start();
  lent_memory_start();
  births_start();
  given_back_start();
  exchange_start();
  pushes_start();
  active_start();
  pending_start();
  refused_start();
  random_walk_start();
  steals_start();
  membership_start();
  newcomers_start();
  leaving_start();
  agreement_start();
  tracing_start();
  page_channel_start();
  termination_start(finished);
  halting_start();
  program_maps(); // now, so that the first thief need not wait until a large program's maps are indexed
  modules_keep();
  library_variables_start();
  leftovers_start();
  meet_the_others();
  modules_settled();
  program_numbers_settle(modules_differ);
  events.processor_idle = when_idle;
  on_exit(on_program_exit, nullptr);
  events.forked.add(alone_after_fork);
  for (int i = 0; i < early_deaths_count; i++)
    membership_died(early_deaths[i].node, early_deaths[i].how);
  progress_start(launcher, listen_to_launcher);
}

void net_reborn(int launcher_socket) {
  launcher = launcher_socket;
  fcntl(launcher, F_SETFD, FD_CLOEXEC);
  this_process = getpid();
  reborn = true;
  early_deaths_count = 0;
  for (int peer = 0; peer < node.count; peer++) {
    told_of[peer] = false;
    was_there[peer] = peer != node.self && link_alive(peer);
  }
  knobs_reborn();
  receive_welcome();
  node_reborn();
  link_reopen();
  membership_renew(true);
  meet_the_others();
  for (int i = 0; i < early_deaths_count; i++)
    membership_died(early_deaths[i].node, early_deaths[i].how);
  progress_begin_again(launcher);
}

namespace {

/// As in a copy, nobody but worker 0's kernel thread uses the network. What would not exist there is closed first.
bool be_reborn(void *) {
  progress_await_end();
  link_close_descriptors();
  for (int owner = 0; owner < node.count; owner++)
    if (slice_files[owner] >= 0)
      close(slice_files[owner]);
  net_reborn(launcher);
  return false;
}

void *rebirth_main(void *) {
  worker_zero_runs(be_reborn, nullptr);
  return nullptr;
}

} // namespace

void rebirth_begin() {
  pthread_t thread;
  if (own_thread_start(thread, rebirth_main))
    fatal("no kernel thread for fault=reborn");
  pthread_detach(thread);
}

void start_reject(int peer, const char *why) { tell_launcher(Type::rejects, peer, 0, why); }
void start_say(Type type, int about, int status, const char *text) { tell_launcher(type, about, status, text); }
void start_say_bytes(Type type, int about, int status, const void *data, size_t bytes) {
  tell_launcher_bytes(type, about, status, data, bytes);
}
void start_request(int nodes) { tell_launcher(Type::request, node.self, nodes); }
void start_suspect(int peer, int silences, const char *why) { tell_launcher(Type::suspect, peer, silences, why); }

int net_slice_file(int owner) { return node.count > 1 ? slice_files[owner] : -1; }

} // namespace skein
