// Some bugs depend on the order in which messages come. Here a node of two runs in this process, and the test plays its
// peer.
//
// The node has the rooms of the runtime as a program has them. Its transport keeps what is sent instead of sending it,
// and hands over what the test delivers; so a test decides what arrives, when, twice, or never. Nothing else runs:
// no progress thread, no workers. Unit tests of `net` and `dsm` and the fuzzer of messages (test/fuzz) stand on it.
#ifndef SKEIN_TEST_UNIT_NET_LONE_NODE_H
#define SKEIN_TEST_UNIT_NET_LONE_NODE_H

#include "net/wire/messages.h"

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace skein::test::lone_node {

using Bytes = std::vector<unsigned char>;

/// Starts the runtime as node `self` of two, which survives its peer's death. Once a process; the peer is met.
/// `several_hosts`: no memory is shared with the peer.
void start(int self, bool several_hosts = false);
/// The node that the test plays.
int peer();

/// What the node has sent lately, the newest last.
extern std::deque<Bytes> sent;
/// If set, this is called for each message that is sent.
extern void (*on_sent)(const Bytes &message);
/// Why the node has rejected its peer; empty if it has not.
extern std::string rejected;

/// Whether the node has told the launcher lately that it suspects its peer to be dead.
bool suspects();

/// Lets the peer's message arrive: it is handled before this returns. It lies in a block of exactly its size, so that
/// AddressSanitizer sees every read beyond it. This also completes its header.
void deliver(Bytes message);
/// Lets the peer die, with all that it had and knew.
void bury();
/// Introduces a new peer of that number, of which the node has not heard yet.
void meet();

/// Makes a message of type T.
template <class T> Bytes make(const T &body, const void *data = nullptr, size_t bytes = 0) {
  Bytes message(sizeof body + bytes);
  std::memcpy(message.data(), &body, sizeof body);
  auto &header = *reinterpret_cast<MessageHeader *>(message.data());
  header = {message_version, static_cast<uint8_t>(T::type), 0, 0, 0, 0};
  if (bytes)
    std::memcpy(message.data() + sizeof body, data, bytes);
  return message;
}
template <class T, class... Fields> Bytes tell(Fields... fields) { return make(T{{}, fields...}); }

/// The newest message of a type that the node has sent, with the `skip` newest left out, or the oldest. Null: there is
/// none.
const Bytes *heard(MessageType type, size_t skip = 0);
template <class T> const T *heard(size_t skip = 0) {
  const Bytes *found = heard(T::type, skip);
  return found ? reinterpret_cast<const T *>(found->data()) : nullptr;
}

/// How an operation has ended (net/messages/pending.h), as the peer that waits for it is told; -1: it has not ended.
/// Messages that were sent before are forgotten.
int64_t end_of(uint64_t pending);

/// Tests with node 0 and a peer of its own for each. After each test it is checked that the node has not rejected the
/// peer.
class Test : public testing::Test {
protected:
  Test();
  void TearDown() override;
};

} // namespace skein::test::lone_node

#endif
