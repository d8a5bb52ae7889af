// The start of every program that is linked with skeincc, as a table of contents.
//
// The driver links with --wrap=main, so libc's start-up code calls __wrap_main, on the process's own stack, which
// becomes the stack of worker 0: all runtime code runs there. The program's main runs as thread 1 on a stack of its
// own. When the scheduler stops, this function returns main's status to libc, which runs exit handlers and flushes
// stdio as ever.
//
// Rooms above sched start here, in this order, each with one line; they add their event handlers and nothing runs yet.
#include "balance/policy.h"
#include "base/knobs.h"
#include "channels/channel.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/restore.h"
#include "dsm/shared.h"
#include "launch/start_pmix.h"
#include "migrate/move_handlers.h"
#include "migrate/node_objects.h"
#include "migrate/parking.h"
#include "migrate/program_numbers.h"
#include "migrate/stress.h"
#include "monitor/monitor.h"
#include "net/run/joining.h"
#include "pack/pack.h"
#include "private/globals/globals.h"
#include "private/library/kernel_threads.h"
#include "private/regions/extents.h"
#include "sched/sched.h"
#include "sync/join.h"
#include "trace/recorder.h"

using namespace skein;

namespace {

/// These have to happen before the program's constructors run, since they initialise main's private globals, and after
/// all libraries are ready.
void start_early(int count, char **arguments, char **) {
  restore_if_asked();
  start_as_rank(count, arguments);
  program_numbers_relocated();
  if (!globals_wanted())
    return;
  net_peek();
  globals_start();
}

} // namespace

// The linker sorts .init_array by number, and no other function has 0.
[[gnu::used, gnu::section(".init_array.00000")]] static void (*const start_early_entry)(int, char **,
                                                                                        char **) = start_early;

/// The program's main. Weak: unit tests link the runtime without --wrap.
extern "C" __attribute__((weak)) int __real_main(int argc, char **argv, char **envp);

extern "C" int __wrap_main(int argc, char **argv, char **envp) {
  kernel_threads_start();
  knobs_start();
  net_join();
  recorder_start();
  private_start();
  sched_start();
  stress_start();
  node_objects_start();
  move_handlers::start();
  parking_start();
  join_start();
  dsm_start();
  channels_start();
  pack_start();
  balance_start();
  checkpoint_start();
  net_start();
  monitor_start();
  return sched_run(node.self == 0 ? main_thread(__real_main, argc, argv, envp) : nullptr);
}
