// The nodes of a run on one host, as the launcher sees them: a small interface between what happens to processes and
// the state of the run (launcher.h). The launcher's own host is local_host.h; that of another one is remote_host.h, a
// stream to an agent there, which has a LocalHost of its own.
#ifndef SKEIN_LAUNCH_RUN_HOST_H
#define SKEIN_LAUNCH_RUN_HOST_H

#include "launch/run/vitals.h"
#include "net/wire/bootstrap.h"

#include <string>
#include <sys/types.h>

namespace skein::launch {

struct Launch;

/// What a host reports. Nodes have their numbers in the run.
class HostEvents {
public:
  /// A packet of this version, with so many bytes behind its header.
  virtual void on_packet(int node, const bootstrap::Packet &packet, size_t bytes) = 0;
  /// The node's process exists.
  virtual void on_begun(int node) = 0;
  /// The node has written something to its descriptor 1 or 2 that the host forwards. False: nobody reads that any more.
  virtual bool on_output(int node, int descriptor, const char *text, size_t bytes) = 0;
  /// The node's process has ended: its status is from waitpid.
  virtual void on_end(int node, int wait_status) = 0;
  /// There will be no such process. This status, from waitpid, is the reason, if it is not 0.
  virtual void on_never_there(int node, int wait_status) = 0;
  /// The node is on another host, which cannot be reached any more. How, in words that follow its name.
  virtual void on_lost(int node, const std::string &how) = 0;
  /// The host wants to tell the user something.
  virtual void on_words(const std::string &text) = 0;

protected:
  ~HostEvents() = default;
};

class Host {
public:
  virtual ~Host() = default;

  /// Starts the nodes that are to be there (Launch::numbers). Throws a std::string.
  virtual void start(Launch launch) = 0;
  /// Starts one more node, in a run that has begun. Throws a std::string, or calls on_never_there later.
  virtual void start_late(int node) = 0;
  /// No further node will be asked for: what is only needed to start one is forgotten.
  virtual void complete() = 0;
  /// Sends a node a packet, if it still listens.
  virtual void send(int node, const void *packet, size_t bytes) = 0;
  virtual void signal(int node, int number) = 0;
  /// The same for all nodes, and for those that are not there yet. The terminal has sent it to the processes of this
  /// host's own group, if it comes from there.
  virtual void signal_all(int number, bool from_terminal) = 0;
  /// The run is over: nodes that are not there yet need not be started in another way.
  virtual void ending() = 0;
  /// Nodes that are not there yet are given up, each with on_never_there.
  virtual void give_up() = 0;
  /// What the kernel says of a node's process, or, if there is none yet, of the one that is to become it.
  virtual Vitals vitals(int node) = 0;
  /// What is due at this time is done: to be called after each step of the loop.
  virtual void tick(uint64_t now_ms) = 0;
  /// The milliseconds until something is due; -1: nothing is.
  virtual int due_ms(uint64_t now_ms) const = 0;
  /// All nodes have ended: forwards the rest of their output.
  virtual void finish() = 0;
};

} // namespace skein::launch

#endif
