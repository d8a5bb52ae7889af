// The progress thread; see progress.h.
//
// Which kernel thread watches the transport:
//
//     no worker drives    the progress thread arms the transport and sleeps on its descriptor
//     one does, or did    the progress thread sleeps without the descriptor, `watch_ns` at a time
//     a moment ago
//
// Because of the second case a thread that goes to and fro (a move, a remote read) does not wake the progress thread
// four times a round, 25 us each. The price is that a message right after driving may wait for `watch_ns`. So a driver
// that goes to sleep wakes the progress thread, which then sleeps on the descriptor at once. Else two nodes that fall
// asleep with a thread on its way between them would find it 200 us late, again and again. A driver that loses its core
// costs as much. A descriptor whose events a driver has consumed may stay readable until the transport is armed again,
// so the progress thread must not poll it meanwhile; hence two epoll sets.
//
// A node that has asked another one, in which no thread runs, mostly asks again at once, for more of its shared memory
// for example. So the progress thread lingers for `linger_ns` after a message if all workers are idle; if it slept, it
// would answer after 30 us. It lingers for `linger_most_ns` at a time at most, as it does with traffic that never ends.
// Then it looks at what is due, a heartbeat for example, and other kernel threads get the core for a moment.
//
// A node whose workers compute may be asked again at once as well, by a thief that takes one thread after another. The
// progress thread then lingers for `linger_busy_ns`, about what it takes the thief to wait for a sleeper: so in vain it
// costs at most as much again. Steals of one thread of 4 KiB each took 11 us without it, and take 5. It does not linger
// while a worker rests and a thread is ready, since that worker may need this core to begin.
//
// Lingering is in vain, and takes the core from all others, if the next message comes only when the progress thread has
// gone to sleep. The node that asks may be waiting for this very core: two nodes on one core took 60 us an access so,
// and the system may put them on one core when the machine is loaded. So after a message that came soon after lingering
// had ended, some messages are answered without lingering: two, then four, and so on up to 64, until lingering succeeds
// once. The first such message in a row changes nothing, since any node that asks is late now and then: with it, too,
// gets by 64 threads took 18 % longer.
//
// Often the transport cannot be armed at the first attempt: a message has come meanwhile, or UCX has an event of one
// that was handled long ago. So the progress thread looks for messages and tries again at once, `in_vain_most` times.
// With a nap instead, which no message ends, gets by 64 threads took 23 % longer. All this is one time awake, so a
// message that comes then is no first one after a sleep.
//
// Sometimes the transport cannot be armed at all, since traffic does not end. And sometimes arming is not enough: there
// are messages for a peer whose queue is full, the peer may need this core to empty the queue, and no event tells when
// it has. Then the progress thread naps, shortly at first, and longer while nothing happens. It does not wait for a
// peer that has died with a full queue, which the transport has forgotten. It may not see that a transport itself has
// something to send, so it looks at the transport every `unseen_ns` at least; heartbeats mostly do that.
//
// Real-time priority is for the moment in which a message arrives. When the progress thread has used `burst_ns` of a
// processor within `window_ns`, it is an ordinary thread until the window is over. So no amount of traffic starves the
// workers:
//
//     | burst | ordinary: shares the core as any two threads do       |
//     0      10                                                      50 ms
//
// So of a core on which one worker computes, a flood of messages leaves the worker 40 %: in a flooded window it gets
// half of what follows the burst. That holds only if the budget is checked after each message (`Preference`) and not
// after each round: a round handles all messages that have come, which may be a thousand of 50 us each, longer than a
// window. And it holds only if what follows the burst is long beside the tick of a kernel (4 ms, after which the kernel
// first takes the core from one of two threads). Of 10 ms the progress thread, which runs when that time begins, got
// two ticks of three. Rejected: sleeping until the window is over (nothing else may need the core, and all that wait
// for answers would wait for that); a reservation by the kernel (SCHED_DEADLINE), which a process that is bound to some
// cores may not make.
//
// A worker without a thread drives at once, and looks for threads as often as for messages. driving_time.h says how
// long it does so before it sleeps.
//
// If the run has more workers than there are cores for them (`crowded`), a core that watches for a message may be the
// one on which the message is to be written. So whoever drives or lingers gives the core away after each look. A thread
// that goes round three nodes on two cores takes 3 us a hop so, and took 130; between two nodes on one core 2 us, and
// took 220. With a program that is not ours on that one core it takes longer, since that then gets most of it (0.8 ms,
// and 0.3).
#include "net/run/progress.h"
#include "base/knobs.h"
#include "base/log.h"
#include "net/moves/outbox.h"
#include "net/moves/steals.h"
#include "net/run/driving_time.h"
#include "net/run/halting.h"
#include "net/run/leaving.h"
#include "net/run/membership.h"
#include "net/run/newcomers.h"
#include "net/run/termination.h"
#include "net/wire/link.h"
#include "os/linux/futex.h"
#include "os/linux/own_thread.h"
#include "sched/worker.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr uint64_t nap_ns = 20000, nap_most_ns = 400000, unseen_ns = 200000000;
constexpr uint64_t watch_ns = 200000;
constexpr uint64_t window_ns = 50000000, burst_ns = 10000000;
constexpr uint64_t linger_ns = 20000, linger_busy_ns = 10000, linger_most_ns = 1000000;
constexpr uint64_t one_look_ns = 1;         // after a message look once more
constexpr unsigned looks = 64;              // at the transport, between two looks at anything else
constexpr unsigned in_vain_most = 3;        // attempts to arm the transport, before a nap
constexpr uint64_t short_slice_ns = 100000; // the shortest the kernel accepts

bool crowded;                          // the run has more workers than cores
int with_transport, without_transport; // epoll sets
int wake_fd;
bool (*read_bootstrap)();
std::atomic<bool> watching{false};     // the progress thread sleeps without the transport, since a worker drives or did
std::atomic<bool> driver_slept{false}; // the last driver has gone to sleep
constexpr uint64_t in_place_ns = 30000;    // how long a thread's call may drive
constexpr uint64_t idle_every_ns = 500000; // after so long in calls a worker does the work of an idle one
__thread uint64_t idle_ns;                 // when this worker was last idle
std::atomic<uint64_t> expected_until{0};   // when idle workers need not drive any more
std::atomic<uint64_t> came_ns{0};          // when the progress thread last made something ready
std::atomic<uint32_t> drives{0};           // how often a worker began to drive
std::atomic<uint64_t> sleeps_until{0};     // 0: awake
std::atomic<uint32_t> runs{0};             // 1: the progress thread does

/// struct sched_attr of the kernel; glibc 2.36 has none.
struct SchedulingAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};

/// Whether a worker drives. Without seq_cst the answer may be out of date.
bool anybody_drives(std::memory_order order = std::memory_order_relaxed) {
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (workers[i].drives.load(order))
      return true;
  return false;
}

/// Asks the kernel to prefer this thread, or to do so no longer. Returns whether it is preferred to ordinary threads
/// now.
bool prefer_this_thread(bool real_time) {
  constexpr uint64_t reset_on_fork = 1; // threads that a library starts from here are ordinary ones
  SchedulingAttributes attributes{};
  attributes.size = sizeof attributes;
  attributes.flags = reset_on_fork;
  attributes.policy = SCHED_FIFO;
  // Above the workers, if these have real-time priority. If they could preempt it while it holds the transport, they
  // could not enter the transport themselves.
  sched_param own{};
  sched_getparam(0, &own);
  attributes.priority = std::min(static_cast<uint32_t>(own.sched_priority) + 1,
                                 static_cast<uint32_t>(sched_get_priority_max(SCHED_FIFO)));
  if (real_time && syscall(SYS_sched_setattr, 0, &attributes, 0) == 0)
    return true;
  // Not permitted: an ordinary thread with the shortest slice (Linux 6.12 and later), which the scheduler prefers when
  // it wakes.
  attributes.policy = SCHED_OTHER;
  attributes.priority = 0;
  attributes.runtime = short_slice_ns;
  attributes.nice = -10; // nine tenths of the core, as long as it wants them
  if (real_time && syscall(SYS_sched_setattr, 0, &attributes, 0) == 0)
    return true;
  attributes.nice = 0;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
  return false;
}

/// How much of its time with priority the progress thread has used.
class Preference {
public:
  void begin() { permitted_ = preferred_ = prefer_this_thread(true); }
  /// To be called after each message. Mostly it only reads the clock: no more than the time since the last measurement
  /// can have been used since.
  void look() {
    if (!permitted_)
      return;
    const uint64_t now = clock_ns();
    if (now - window_began_ns_ >= window_ns) {
      window_began_ns_ = measured_ns_ = now;
      used_at_begin_ns_ = used_ns_ = own_time_ns();
      if (!preferred_)
        preferred_ = prefer_this_thread(true);
    } else if (preferred_ && used_ns_ - used_at_begin_ns_ + (now - measured_ns_) > burst_ns) {
      measured_ns_ = now;
      used_ns_ = own_time_ns();
      if (used_ns_ - used_at_begin_ns_ > burst_ns)
        preferred_ = prefer_this_thread(false);
    }
  }

private:
  static uint64_t own_time_ns() {
    timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<uint64_t>(used.tv_sec) * 1000000000 + static_cast<uint64_t>(used.tv_nsec);
  }
  bool permitted_ = false, preferred_ = false;
  uint64_t window_began_ns_ = 0, used_at_begin_ns_ = 0; // of a processor, as the next one
  uint64_t measured_ns_ = 0, used_ns_ = 0;
};
Preference preference;

/// How long to wait awake for the next message.
class Lingering {
public:
  /// While so many workers rest, and so many threads are ready.
  uint64_t most_ns(uint32_t resting, uint64_t ready) const {
    if (resting == workers_count() && !ready)
      return without_ ? 0 : linger_ns;
    return without_ || crowded || (resting && ready) ? one_look_ns : linger_busy_ns;
  }
  /// A message was handled: the first after a sleep, or a later one.
  void came(uint64_t now, bool first) {
    if (!first) {
      doubled_ = 0;
    } else if (without_) {
      without_--;
    } else if (now - ended_ns_ < soon_ns) {
      without_ = doubled_ ? 1u << doubled_ : 0;
      doubled_ = std::min(doubled_ + 1, doubled_most);
    }
  }
  void ended(uint64_t now) { ended_ns_ = now; }

private:
  static constexpr uint64_t soon_ns = 200000;
  static constexpr unsigned doubled_most = 6;
  unsigned without_ = 0, doubled_ = 0; // so many messages more are answered without lingering
  uint64_t ended_ns_ = 0;
};
Lingering lingering;

void add_to(int set, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  if (epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) != 0)
    fatal("epoll_ctl failed (errno %d)", errno);
}

void wake() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wake_fd, &one, sizeof one); // full means it is awake anyway
}

/// Sleeps in `set`. False once the launcher is gone.
bool sleep_in(int set, int bootstrap_socket, uint64_t nanoseconds) {
  static bool has_pwait2 = true;
  epoll_event events[4];
  timespec limit = {static_cast<time_t>(nanoseconds / 1000000000), static_cast<long>(nanoseconds % 1000000000)};
  int count = has_pwait2 ? epoll_pwait2(set, events, 4, &limit, nullptr) : -1;
  has_pwait2 = has_pwait2 && !(count < 0 && errno == ENOSYS);
  if (!has_pwait2) // before Linux 5.11, and under valgrind: whole milliseconds, rounded up
    count = epoll_wait(set, events, 4, static_cast<int>(nanoseconds / 1000000 + 1));
  sleeps_until.store(0, std::memory_order_relaxed);
  for (int i = 0; i < count; i++)
    if (events[i].data.fd == wake_fd) {
      uint64_t value;
      [[maybe_unused]] ssize_t got = read(wake_fd, &value, sizeof value);
    } else if (events[i].data.fd == bootstrap_socket && !read_bootstrap()) {
      return false;
    }
  return true;
}

/// Does what is due. Returns nanoseconds until the next thing is.
uint64_t progress_tick() {
  uint64_t now = clock_ns();
  if (progress_before_idle)
    progress_before_idle();
  uint64_t next = membership_tick(now);
  next = std::min(next, leaving_tick(now));
  if (net_is_silent()) {
    outbox_flush(true);
    return std::min(next, halting_tick(now));
  }
  next = std::min(next, outbox_flush(false));
  next = std::min(next, steals_tick(now));
  next = std::min(next, termination_tick(now));
  if (progress_also_due)
    next = std::min(next, progress_also_due(now));
  return next;
}

/// The progress thread's time awake, from one sleep to the next.
struct Awake {
  unsigned rounds = 0;   // in which messages were handled
  uint64_t began_ns = 0; // when the first of them was over
  unsigned in_vain = 0;  // attempts to arm the transport
  bool endless = false;  // it has to sleep for a moment, whatever comes
};

/// Handles the messages that have come, and lingers for more.
void handle_messages(Awake &awake) {
  bool any = false;
  for (uint64_t handled_ns = 0; !awake.endless;) {
    // Waiting for a driver would only hinder it.
    const bool handled = link_drive(!anybody_drives(), any ? looks : 1, [] { preference.look(); }) != 0;
    any = any || handled;
    if (!any)
      return;
    const uint64_t now = clock_ns();
    if (handled) {
      lingering.came(now, awake.rounds++ == 0);
      handled_ns = now;
    }
    if (!awake.began_ns)
      awake.began_ns = now;
    awake.endless = now - awake.began_ns > linger_most_ns;
    if (const uint64_t most = lingering.most_ns(workers_resting(), threads_ready()); now - handled_ns >= most) {
      if (most != one_look_ns)
        lingering.ended(now);
      break;
    }
    if (crowded) {
      sched_yield();
    } else {
      __builtin_ia32_pause();
    }
  }
  if (threads_ready() > 0)
    came_ns.store(clock_ns(), std::memory_order_relaxed);
}

void *progress_main(void *argument) {
  int bootstrap_socket = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  pthread_setname_np(pthread_self(), "skein-net");
  preference.begin();
  uint32_t drives_seen = 0;
  uint64_t nap = nap_ns;
  for (Awake awake;;) {
    handle_messages(awake);
    // From here on progress_wake_within finds sleeps_until set, and wakes this thread.
    sleeps_until.store(UINT64_MAX, std::memory_order_seq_cst); // pairs with the fence in progress_wake_within
    uint64_t next = progress_tick();
    uint32_t begun = drives.load(std::memory_order_relaxed);
    bool alone = !anybody_drives() && (driver_slept.exchange(false, std::memory_order_relaxed) || begun == drives_seen);
    drives_seen = begun;
    const bool may_arm = alone && !awake.endless;
    const int armed = may_arm ? link_arm() : 0;
    if (may_arm && armed == 0 && awake.in_vain++ < in_vain_most) {
      sleeps_until.store(0, std::memory_order_relaxed); // awake, and looks at everything again before it sleeps
      continue;
    }
    if (armed == 1 || awake.rounds > 0)
      nap = nap_ns;
    next = std::min(next, armed == 1 ? unseen_ns : alone ? nap : watch_ns);
    if (armed != 1 && alone)
      nap = std::min(2 * nap, nap_most_ns);
    if (awake.rounds > 0) // more messages come soon, and open parcels rely on that (progress_looks_within)
      next = std::min(next, watch_ns);
    if (!alone) {
      watching.store(true, std::memory_order_seq_cst); // pairs with the load in progress_drive
      if (driver_slept.load(std::memory_order_seq_cst))
        next = 0;
    }
    sleeps_until.store(clock_ns() + next, std::memory_order_seq_cst);
    preference.look();
    if (!sleep_in(armed > 0 ? with_transport : without_transport, bootstrap_socket, next))
      break;
    watching.store(false, std::memory_order_relaxed);
    awake = Awake();
  }
  runs.store(0, std::memory_order_release); // pairs with progress_await_end
  futex_wake(runs);
  return nullptr;
}

void begin(int bootstrap_socket) {
  with_transport = epoll_create1(EPOLL_CLOEXEC);
  without_transport = epoll_create1(EPOLL_CLOEXEC);
  wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (with_transport < 0 || without_transport < 0 || wake_fd < 0)
    fatal("cannot make the progress thread's descriptors (errno %d)", errno);
  for (int set : {with_transport, without_transport}) {
    add_to(set, wake_fd);
    add_to(set, bootstrap_socket);
  }
  add_to(with_transport, link_wait_fd());

  runs.store(1, std::memory_order_relaxed);
  pthread_t thread;
  const int error =
      own_thread_start(thread, progress_main, reinterpret_cast<void *>(static_cast<intptr_t>(bootstrap_socket)));
  if (error)
    fatal("cannot start the progress thread (error %d)", error);
  pthread_detach(thread);
}

} // namespace

/// Of a run on one host.
static void count_cores(int) { crowded = nodes_on_same_cores(nodes_taken()) * knobs.workers > cores(); }

void progress_start(int bootstrap_socket, bool (*on_bootstrap)()) {
  read_bootstrap = on_bootstrap;
  count_cores(0);
  node_arrived.add(count_cores);
  link_own_waits = [] { progress_wake_within(0); };
  begin(bootstrap_socket);
}

void progress_begin_again(int bootstrap_socket) {
  preference = {};
  lingering = {};
  watching.store(false, std::memory_order_relaxed);
  driver_slept.store(false, std::memory_order_relaxed);
  sleeps_until.store(0, std::memory_order_relaxed);
  count_cores(0); // perhaps another host
  begin(bootstrap_socket);
}

void progress_await_end() {
  while (runs.load(std::memory_order_acquire))
    futex_wait(runs, 1);
}

void progress_wake_within(uint64_t nanoseconds) {
  // Here the change of the caller comes before this look; there the store comes before the look at what has changed. So
  // one of the two sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the stores in progress_main
  uint64_t until = sleeps_until.load(std::memory_order_relaxed);
  if (until != 0 && until > clock_ns() + nanoseconds)
    wake();
}

bool progress_looks_within(uint64_t nanoseconds) {
  std::atomic_thread_fence(std::memory_order_seq_cst); // as in progress_wake_within
  const uint64_t until = sleeps_until.load(std::memory_order_relaxed);
  return until == 0 || until <= clock_ns() + nanoseconds;
}

bool progress_drive() {
  static __thread DrivingTime time;
  static __thread uint64_t slept_from;
  uint64_t begin = clock_ns(), came = came_ns.load(std::memory_order_relaxed);
  if (slept_from && came > slept_from)
    time.waited(came - slept_from, crowded);
  slept_from = 0;
  if (progress_before_idle)
    progress_before_idle();
  driver_slept.store(false, std::memory_order_relaxed);
  std::atomic<bool> &mine = worker_current()->drives;
  mine.store(true, std::memory_order_relaxed);
  drives.fetch_add(1, std::memory_order_relaxed);
  bool ready;
  do {
    link_drive(false, looks);
    ready = threads_ready() > 0;
    if (crowded && !ready)
      sched_yield();
  } while (!ready &&
           ((idle_ns = clock_ns()) - begin < time.ns() || idle_ns < expected_until.load(std::memory_order_relaxed)));
  if (ready) {
    mine.store(false, std::memory_order_relaxed);
    return true;
  }
  mine.store(false, std::memory_order_seq_cst); // of two that stop at the same time, at least one sees that both do
  const bool last = !anybody_drives(std::memory_order_seq_cst);
  slept_from = begin;
  driver_slept.store(last, std::memory_order_seq_cst);
  if (last && watching.load(std::memory_order_seq_cst)) // pairs with the store in progress_main
    wake();
  return false;
}

void progress_expect(uint64_t nanoseconds) {
  expected_until.store(clock_ns() + nanoseconds, std::memory_order_relaxed);
  if (!anybody_drives())
    workers_notice(true);
}

void (*progress_before_idle)();
uint64_t (*progress_also_due)(uint64_t now);

bool progress_drive_for(const std::atomic<bool> &done) {
  const uint64_t begin = clock_ns();
  if (begin - idle_ns > idle_every_ns)
    return done.load(std::memory_order_acquire);
  drives.fetch_add(1, std::memory_order_relaxed); // the progress thread sees it
  bool is_done;
  while (!(is_done = done.load(std::memory_order_acquire)) && threads_ready() == 0 && clock_ns() - begin < in_place_ns)
    link_drive(false, looks);
  return is_done;
}

} // namespace skein
