// A host of no processes, which writes down what nodes are sent.
#ifndef SKEIN_TEST_UNIT_LAUNCH_FAKE_HOST_H
#define SKEIN_TEST_UNIT_LAUNCH_FAKE_HOST_H

#include "launch/run/child.h"
#include "launch/run/host.h"

#include <csignal>
#include <string>
#include <vector>

namespace skein::launch {

inline const char *name_of(bootstrap::Type type) {
  using bootstrap::Type;
  switch (type) {
  case Type::peer:
    return "peer";
  case Type::start:
    return "start";
  case Type::begin:
    return "begin";
  case Type::admit:
    return "admit";
  case Type::withdrawn:
    return "withdrawn";
  case Type::drain:
    return "drain";
  case Type::drained:
    return "drained";
  case Type::part:
    return "part";
  case Type::handed_over:
    return "handed_over";
  case Type::departed:
    return "departed";
  case Type::end:
    return "end";
  case Type::leave:
    return "leave";
  case Type::ping:
    return "ping";
  case Type::halt:
    return "halt";
  case Type::count:
    return "count";
  case Type::cut:
    return "cut";
  case Type::go_on:
    return "go_on";
  case Type::kept:
    return "kept";
  default:
    return "other";
  }
}

/// Writes down what nodes are sent, as "to 1: peer 2"; and of `drain` the status, too.
class FakeHost final : public Host {
public:
  std::vector<std::string> sent;
  std::vector<int> killed;
  bool given_up = false;

  void start(Launch) override {}
  void start_late(int) override {}
  void complete() override {}
  void send(int node, const void *packet, size_t) override {
    const auto &header = static_cast<const bootstrap::Packet *>(packet)->header;
    sent.push_back("to " + std::to_string(node) + ": " + name_of(header.type) + " " + std::to_string(header.node) +
                   (header.type == bootstrap::Type::drain ? " " + std::to_string(header.status) : ""));
  }
  void signal(int node, int number) override {
    if (number == SIGKILL)
      killed.push_back(node);
  }
  void signal_all(int, bool) override {}
  void ending() override {}
  void give_up() override { given_up = true; }
  Vitals vitals(int) override { return {}; }
  void tick(uint64_t) override {}
  int due_ms(uint64_t) const override { return -1; }
  void finish() override {}
};

} // namespace skein::launch

#endif
