// See checkpoint.h.
#include "checkpoint/checkpoint.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "base/reborn.h"
#include "base/uneven_barrier.h"
#include "checkpoint/copy.h"
#include "checkpoint/huge_pages.h"
#include "checkpoint/kept_pages.h"
#include "checkpoint/slice_contents.h"
#include "checkpoint/store.h"
#include "dsm/slices.h"
#include "net/run/halting.h"
#include "net/run/joining.h"
#include "net/wire/bootstrap.h"
#include "net/wire/link.h"
#include "os/linux/own_thread.h"
#include "pack/seal_keys.h"
#include "sched/halt.h"
#include "sync/waits.h"
#include "trace/recorder.h"

#include <skein/checkpoint.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skein {

using bootstrap::Type;

namespace {

bool on; // this run makes checkpoints

// --- threads that wait for one ---------------------------------------------------------------------------------------

constexpr uint64_t wait_most_ns = UINT64_C(3600) * 1000000000;

const WaitKind waits_for_checkpoint = {.call = "skein_checkpoint"};
/// Their results are the number of cuts that had been made when they asked.
Ring asking;
uint64_t cuts; // so far; under the ring's lock

void wake(Woken &woken, int code, const char *why) {
  while (WaitRecord *record = woken.pop_front()) {
    Thread *thread = thread_of(record);
    if (code > SKEIN_OK)
      thread_error(thread, code, "skein_checkpoint: %s", why);
    wait_end(thread, static_cast<uint64_t>(code));
  }
}

/// Those that asked before the last cut go on; with `all`, those that asked later, too.
void wake_asking(bool all, int code, const char *why) {
  Woken woken;
  {
    Guard guard(bucket_of(&asking));
    for (Thread *thread = asking.first(), *next; thread; thread = next) {
      next = asking.after(thread);
      if (!all && thread->result >= cuts)
        continue;
      asking.take(thread);
      woken.push_back(&thread->wait.record);
    }
  }
  wake(woken, code, why);
}

extern "C" Thread *skein_checkpoint_call(Thread *self) {
  if (!on)
    return answer(self, thread_error(self, SKEIN_EREFUSED,
                                     "skein_checkpoint: this run makes no checkpoints: start it with skein run "
                                     "--checkpoint FOLDER"));
  if (int code = wait_allowed(self, waits_for_checkpoint.call, "checkpoint", &asking))
    return answer(self, code);
  thread_error_clear(self);
  {
    Guard guard(bucket_of(&asking));
    self->result = cuts;
    wait_begin(self, waits_for_checkpoint, &asking, deadline_in(wait_most_ns));
  }
  start_say(Type::wish, 0, 0, "");
  return wait_next();
}

// --- what programs do around checkpoints -----------------------------------------------------------------------------

struct Hook {
  Hook *next;
  void (*before)(void *), (*after)(void *), (*restored)(void *);
  void *context;
};
Hook *hooks, **hooks_end = &hooks;
SpinLock hooks_lock{Rank::leaf};

void call_hooks(void (*Hook::*function)(void *)) {
  for (const Hook *hook = hooks; hook; hook = hook->next)
    if (hook->*function)
      (hook->*function)(hook->context);
}

extern "C" int skein_on_checkpoint(void (*before)(void *), void (*after)(void *), void (*restored)(void *),
                                   void *context) {
  auto *hook = static_cast<Hook *>(malloc(sizeof(Hook)));
  if (!hook)
    return SKEIN_EMEMORY;
  *hook = {nullptr, before, after, restored, context};
  Guard guard(hooks_lock);
  *hooks_end = hook;
  hooks_end = &hook->next;
  return SKEIN_OK;
}

// --- the cut ---------------------------------------------------------------------------------------------------------

constexpr int writer_threads_most = 4;

/// The checkpoint that is being made, and the last one that is complete. The writer finds it in its memory.
struct {
  int number;
  char path[PATH_MAX];
  char previous[PATH_MAX]; // ""
  char kept[PATH_MAX];
} making;

void tell_written(int number, const char *why) { start_say(Type::written, number, why ? 1 : 0, why ? why : ""); }

/// In the writer, which has a copy of `making`.
void writer_done(const char *why, uint64_t) { tell_written(making.number, why); }

/// Slices of shared memory are mapped again, and so is what serves to keep them; a trace ends at the checkpoint.
bool may_share(uint64_t begin, uint64_t end) {
  return (begin >= SKEIN_SHARED_BASE && end <= SKEIN_SHARED_END) || recorder_has(begin) || kept_pages_has(begin);
}

bool has_key;
uint8_t key[SKEIN_CHECKPOINT_KEY_BYTES];

/// A pidfd of the writer; -1: there is none. The node does not halt before it has ended: it reads what is kept of
/// shared memory.
int writer_file = -1;
SpinLock writer_lock{Rank::leaf};

const char *has_writer(char *, size_t) {
  Guard guard(writer_lock);
  return writer_file >= 0 ? "waits for the end of the process that writes its last checkpoint" : nullptr;
}
HaltPart halt_part = {has_writer, nullptr, nullptr};

void kill_writer() {
  Guard guard(writer_lock);
  if (writer_file >= 0)
    syscall(SYS_pidfd_send_signal, writer_file, SIGKILL, nullptr, 0);
}

void writer_has_ended() {
  Guard guard(writer_lock);
  close(writer_file);
  writer_file = -1;
}

struct Watched {
  int number; // of the checkpoint
  pid_t writer;
};

/// A kernel thread that waits for the writer, since one that is killed says nothing.
void *watch_writer(void *argument) {
  const Watched watched = *static_cast<Watched *>(argument);
  free(argument);
  HugePages huge;
  huge.note(watched.writer);
  char why[64];
  const bool killed = copy_writer_killed(watched.writer, why, sizeof why);
  writer_has_ended();
  if (killed)
    tell_written(watched.number, why);
  huge.join();
  return nullptr;
}

void begin_watch(int number) {
  auto *watched = static_cast<Watched *>(message_memory(sizeof(Watched)));
  *watched = {number, copy_writer()};
  pthread_t watcher;
  writer_file = static_cast<int>(syscall(SYS_pidfd_open, copy_writer(), 0));
  if (writer_file < 0)
    fatal("cannot open a file of the writer of a checkpoint: %s", strerror(errno));
  if (const int error = own_thread_start(watcher, watch_writer, watched))
    fatal("cannot start the kernel thread that waits for the writer of a checkpoint: %s", strerror(error));
  pthread_detach(watcher);
}

/// Whether a thread holds a lock of the C library that its kernel thread has to let go of, by whose number the lock
/// knows its owner: in a process that is made of the copy that is another one.
bool kernel_lock_held(char *words, size_t bytes) {
  uint64_t holder = 0;
  thread_each(
      [](Thread *thread, void *to) {
        if (thread->holds.binds)
          *static_cast<uint64_t *>(to) = thread->id;
      },
      &holder);
  if (holder)
    snprintf(words, bytes, "thread %s holds a lock of the C library, which belongs to a kernel thread",
             thread_name(holder).text);
  return holder != 0;
}

struct Cut {
  bool good;
  char why[512];
};

/// On worker 0's kernel thread. True: this is another process now.
bool make_copy(void *context) {
  auto &cut = *static_cast<Cut *>(context);
  if (kernel_lock_held(cut.why, sizeof cut.why))
    return false;
  call_hooks(&Hook::before);
  if (const char *why = slice_contents_note())
    snprintf(cut.why, sizeof cut.why, "%s", why);
  else
    switch (copy_process({making.path, *making.previous ? making.previous : nullptr, has_key ? key : nullptr,
                          std::clamp(static_cast<int>(knobs.workers), 1, writer_threads_most), may_share,
                          slice_contents_to_fetch(), writer_done},
                         cut.why, sizeof cut.why)) {
    case Copied::failed:
      break;
    case Copied::made:
      cut.good = true;
      break;
    case Copied::reborn:
      return true;
    }
  slice_contents_forget();
  call_hooks(&Hook::after);
  return false;
}

/// In the progress thread: nothing runs, and no message is under way.
void on_cut(int number, const char *folder) {
  making.number = number;
  snprintf(making.path, sizeof making.path, "%s/node-%d", folder, node.self);
  snprintf(making.previous, sizeof making.previous, "%s", making.kept);
  {
    Guard guard(bucket_of(&asking));
    cuts++;
  }
  static Cut cut; // not on the stack of a kernel thread that a reborn process does not have
  cut = {};
  worker_zero_runs(make_copy, &cut);
  if (cut.good)
    begin_watch(number);
  start_say(Type::copied, number, cut.good ? 0 : 1, cut.why);
}

/// A complete checkpoint has been renamed.
void note_kept() {
  constexpr char unfinished[] = ".part/";
  snprintf(making.kept, sizeof making.kept, "%s", making.path);
  if (char *at = strstr(making.kept, unfinished))
    memmove(at, at + sizeof unfinished - 2, strlen(at + sizeof unfinished - 2) + 1);
}

void on_kept(int number, int status, const char *why) {
  const bool cut_here = number != 0 && number == making.number;
  if (status != 0 && cut_here)
    kill_writer(); // what it writes is not needed any more
  kept_pages_over();
  if (status == 0 && cut_here)
    note_kept();
  // Who has asked since the cut waits for the next checkpoint, which the launcher makes for him. If it came to no cut,
  // it is given up for all that have asked; and number 0 says that there will be none at all.
  wake_asking(status != 0 && !cut_here, status == 0 ? SKEIN_OK : SKEIN_EREFUSED, why);
}

// --- a process that is made of a copy --------------------------------------------------------------------------------

/// On worker 0's kernel thread, the only one.
void on_reborn() {
  barrier_start(); // registers this process
  own_threads_forget();
  writer_file = -1;
  kept_pages_reborn();
  reborn_variable = copy_variable;
  snprintf(making.kept, sizeof making.kept, "%s", reborn_variable(bootstrap::restore_variable));
  net_reborn(reborn_socket());
  slice_contents_forget();
  kept_pages_begin_again();
  workers_begin_again();
  call_hooks(&Hook::restored);
  wake_asking(false, SKEIN_RESTORED, nullptr);
  net_go_on();
}

} // namespace

void checkpoint_start() {
  const char *path = getenv(bootstrap::checkpoint_variable);
  if (!path)
    return;
#if defined(SKEIN_ASAN) || defined(SKEIN_TSAN)
  fatal("a program that a sanitizer watches makes no checkpoints: its shadow memory is too large");
#endif
  if (knobs.moves == MoveMemory::lazy)
    fatal(
        "moves=lazy has memory that is on other nodes, so no copy of a node is complete: checkpoints need moves=eager");
  if (const char *why = copy_library_load(path))
    fatal("%s", why);
  Refusal refusal;
  has_key = *knobs.checkpoint_key != 0;
  if (has_key && !seal_key_read("checkpoint_key", knobs.checkpoint_key, key, refusal))
    fatal("%s", refusal.text);
  on = true;
  checkpoint_cut = on_cut;
  checkpoint_kept = on_kept;
  workers_reborn = on_reborn;
  slice_refill = slice_contents_refill;
  halt_part_add(halt_part);
  kept_pages_start();
}

} // namespace skein
