// The monitors of nodes on other hosts (monitor/monitor.h), as sockets on this one.
//
//      skein top -- folder of the run/node-3 --> launcher -- stream.h --> agent -- its run folder/node-3 --> node 3
//
// The launcher has a *door* for each node on another host: a socket of the name that the node's own has there. Whoever
// enters gets a number, and what is said is carried through the stream, in both directions, until one side hangs up. So
// `skein top`, `web`, `ps` and `status` see all nodes of a run in one folder, and know nothing of hosts.
//
// One class serves both ends of the stream. Nothing of it waits: what a side does not take stays in memory, and a side
// that takes nothing while much is said to it is hung up on.
#ifndef SKEIN_LAUNCH_RUN_MONITOR_RELAY_H
#define SKEIN_LAUNCH_RUN_MONITOR_RELAY_H

#include "launch/run/loop.h"

#include <functional>
#include <map>
#include <string>

namespace skein::launch {

class MonitorRelay {
public:
  /// `send` carries to the other end of the stream what one connection says to a node's monitor, or the monitor to it;
  /// no bytes: one side has hung up.
  using Send = std::function<void(int node, int connection, const std::string &bytes)>;
  MonitorRelay(Loop &loop, Send send) : loop_(loop), send_(std::move(send)) {}
  MonitorRelay(const MonitorRelay &) = delete;
  ~MonitorRelay();

  /// The launcher's end: opens the door of a node in the folder. Throws a std::string.
  void open_door(const std::string &folder, int node);
  /// Also hangs up on all who are there.
  void close_door(int node);

  /// The other end has sent this of a connection. `folder`: the agent's, where a connection that is new leads to the
  /// node's monitor; empty at the launcher's end.
  void heard(int node, int connection, const std::string &bytes, const std::string &folder = "");

private:
  struct Connection {
    int node, socket;
    std::string waiting; // for room in the socket
  };
  struct Door {
    int listening;
    std::string path;
  };
  void add(int node, int connection, int socket);
  void serve(int connection);
  bool flush(Connection &connection);
  void give_up(int connection);
  void hang_up(int connection);

  static constexpr size_t connections_most = 64, waiting_most = 16 << 20;
  Loop &loop_;
  Send send_;
  std::map<int, Door> doors_; // by nodes
  std::map<int, Connection> connections_;
  int last_ = 0;
};

} // namespace skein::launch

#endif
