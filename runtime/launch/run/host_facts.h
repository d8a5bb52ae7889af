// What a host is like, as far as the nodes of a run have to agree on it; and which address of it others are to use.
#ifndef SKEIN_LAUNCH_RUN_HOST_FACTS_H
#define SKEIN_LAUNCH_RUN_HOST_FACTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace skein::launch {

class FrameReader;

struct HostFacts {
  std::string version; // of Skein, and of what the agent and the nodes say to the launcher
  std::string name;    // as the host calls itself
  uint64_t page_bytes = 0;
  std::string instructions; // the extensions of x86-64 that its processors have, with spaces between
  std::string address;      // under which ssh has reached it; empty: unknown
  int32_t rank = -1;        // the number that its node is to have, if that is known
  int32_t places = 0;       // how many nodes it offers to have; 0: the launcher knows

  std::string packed() const;
  /// False: it is none.
  bool unpack(const std::string &bytes);
};

HostFacts facts_of_this_host();

/// In words, why nodes on the two hosts cannot be in one run; empty: they can. `mixed`: the program does not mind that
/// one has instructions that the other lacks.
std::string why_not_together(const HostFacts &here, const std::string &there_called, const HostFacts &there,
                             bool mixed);

/// The instructions that `needed` has and `there` has not, with commas between.
std::string instructions_missing(const std::string &needed, const std::string &there);

/// This host's numeric address in a network: the name of an interface (eth0) or a range of addresses (10.1.0.0/16).
/// Throws a std::string.
std::string address_in(const std::string &network);
/// This host's numeric address on the way to that one, which is numeric, too. Throws a std::string.
std::string address_towards(const std::string &address);
/// All numeric addresses of this host; that of the loopback device is the last one.
std::vector<std::string> addresses_of_this_host();
/// The address of an endpoint such as 10.1.2.3:7000 or [fd00::1]:7000.
std::string address_of(const std::string &endpoint);
} // namespace skein::launch

#endif
