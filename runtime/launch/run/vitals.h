// What the kernel says of a process that another one misses: stopped, waiting for a core, asleep.
//
// A node that others have not heard of for seconds may be as good as dead (it is stopped, or its progress thread is
// stuck), or only late: on a machine with fifteen nodes to a core, a living one may wait for seconds until it is
// scheduled. The two look alike from outside, and different in /proc.
#ifndef SKEIN_LAUNCH_COMMAND_VITALS_H
#define SKEIN_LAUNCH_COMMAND_VITALS_H

#include <cstdint>
#include <map>
#include <sys/types.h>

namespace skein::launch {

struct Vitals {
  pid_t process = 0;
  bool unknown = false;             // its host does not tell; what follows was so at some time
  bool there = false;               // false: there is no such process
  bool runnable = false;            // a thread of it runs, or waits for a core
  bool disk = false;                // a thread of it waits for the machine: it reads from a disk, or pages it back in
  bool stopped = false;             // by a signal, or by a debugger
  std::map<pid_t, uint64_t> cpu_ms; // what each thread has had of a processor
  /// What all threads have had of a processor; and the thread that has had most since then.
  uint64_t cpu_ms_of_all() const;
  uint64_t cpu_ms_most_since(const Vitals &then) const;
  /// Words such as "it is stopped", for a message.
  const char *words() const;
};

Vitals vitals_of(pid_t process);

} // namespace skein::launch

#endif
