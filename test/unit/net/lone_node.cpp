// See lone_node.h.
#include "lone_node.h"

#include "abi/entry_points.h"
#include "balance/policy.h"
#include "base/alone.h"
#include "base/knobs.h"
#include "base/node.h"
#include "channels/channel.h"
#include "dsm/shared.h"
#include "migrate/check.h"
#include "migrate/image.h"
#include "net/messages/active.h"
#include "net/messages/calls.h"
#include "net/messages/pending.h"
#include "net/messages/windows.h"
#include "net/moves/births.h"
#include "net/moves/exchange.h"
#include "net/moves/outbox.h"
#include "net/moves/pushes.h"
#include "net/moves/steals.h"
#include "net/run/agreement.h"
#include "net/run/joining.h"
#include "net/run/leaving.h"
#include "net/run/membership.h"
#include "net/run/statistics.h"
#include "net/run/termination.h"
#include "net/wire/bootstrap.h"
#include "net/wire/link.h"
#include "net/wire/siphash.h"
#include "net/wire/transport.h"
#include "pack/pack.h"
#include "private/regions/extents.h"
#include "sched/sched.h"
#include "sync/join.h"
#include "thread/stack.h"

#include "../migrate/image_fixture.h"

#include <cstdlib>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

using namespace skein;

namespace skein::test::lone_node {

std::deque<Bytes> sent;
void (*on_sent)(const Bytes &message);
std::string rejected;

namespace {

constexpr size_t sent_most = 64;
constexpr uint8_t token[bootstrap::token_bytes] = {1, 2, 3};
constexpr char address[8] = {};

skein_transport_setup above;
int launcher; // the launcher's end of the node's socket
void (*membership_rejects)(int, const char *);

void note(const void *message, size_t bytes) {
  const auto *at = static_cast<const unsigned char *>(message);
  sent.emplace_back(at, at + bytes);
  if (sent.size() > sent_most)
    sent.pop_front();
  if (on_sent)
    on_sent(sent.back());
}

int stub_open(const skein_transport_setup *setup, char *, size_t) {
  above = *setup;
  return 0;
}
constexpr skein_transport_address whole_address = {address, sizeof address, {-1, -1}};
void stub_address(skein_transport_address *own) { *own = whole_address; }
int stub_connect(int, const skein_transport_address *, char *, size_t) { return 0; }
int stub_send(int, void *message, size_t bytes) {
  note(message, bytes);
  free(message);
  return 0;
}
int stub_lend(int, void *message, size_t bytes) {
  note(message, bytes);
  return 0;
}
unsigned stub_progress(unsigned) { return 0; }
int stub_fd() { return -1; }
void stub_disconnect(int) {}
unsigned stub_pending() { return 0; }
void stub_close() {}
constexpr skein_transport stub = {SKEIN_TRANSPORT_VERSION,
                                  "stub",
                                  stub_open,
                                  stub_address,
                                  stub_connect,
                                  stub_send,
                                  stub_lend,
                                  stub_progress,
                                  stub_fd,
                                  stub_fd,
                                  stub_disconnect,
                                  stub_pending,
                                  stub_close,
                                  stub_close,
                                  stub_close,
                                  stub_fd};

void reject(int who, const char *why) {
  rejected = why;
  membership_rejects(who, why);
}

/// The launcher's welcome, with a file for each slice.
void join_run(int self, bool several_hosts) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
    abort();
  launcher = pair[0];
  bootstrap::Welcome welcome{};
  welcome.header = {.type = bootstrap::Type::welcome, .node = self, .status = 0};
  welcome.count = welcome.founders = 2;
  welcome.flags = several_hosts ? bootstrap::welcome_several_hosts : 0;
  memcpy(welcome.token, token, sizeof token);
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  iovec part = {&welcome, sizeof welcome};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  packet.msg_control = control;
  packet.msg_controllen = sizeof control;
  cmsghdr *files = CMSG_FIRSTHDR(&packet);
  files->cmsg_level = SOL_SOCKET;
  files->cmsg_type = SCM_RIGHTS;
  files->cmsg_len = CMSG_LEN(2 * sizeof(int));
  const int slices[2] = {memfd_create("slice-0", 0), memfd_create("slice-1", 0)};
  memcpy(CMSG_DATA(files), slices, sizeof slices);
  sendmsg(launcher, &packet, 0);
  setenv(bootstrap::descriptor_variable, std::to_string(pair[1]).c_str(), 1);
  net_join();
}

} // namespace

int peer() { return 1 - node.self; }

void start(int self, bool several_hosts) {
  alone_end(); // as long as a worker counts as alone, the quick way asks the kernel each time which thread it is on
  knobs_start();
  knobs.deaths = Deaths::survive;
  knobs.shared = SharedAccess::remote;
  knobs.shared_most = 16 << 20;
  knobs.stack_max = 1 << 20;
  knobs.workers = 1;
  join_run(self, several_hosts);
  private_start();
  sched_start();
  fixture::runtime_started = true;
  join_start();
  dsm_start();
  channels_start();
  pack_start();
  balance_start();
  statistics_start();
  windows_start();
  link_open(nullptr, false);
  calls_start();
  births_start();
  exchange_start();
  pushes_start();
  active_start();
  pending_start();
  steals_start();
  agreement_start();
  leaving_start();
  termination_start([](int) {});
  meet();
}

void deliver(Bytes message) {
  if (message.size() < sizeof(MessageHeader))
    return;
  auto &header = *reinterpret_cast<MessageHeader *>(message.data());
  const uint32_t pair[2] = {static_cast<uint32_t>(peer()), static_cast<uint32_t>(node.self)};
  header.from = static_cast<uint16_t>(peer());
  header.proof = siphash(token, pair, sizeof pair);
  void *block = malloc(message.size());
  memcpy(block, message.data(), message.size());
  skein_transport_answer answer = {-1, nullptr, 0};
  if (above.at_once(above.context, peer(), block, message.size(), &answer)) {
    if (answer.message)
      stub_send(answer.to, answer.message, answer.bytes);
    free(block);
  } else if (!above.receive(above.context, peer(), block, message.size())) {
    free(block);
  }
}

// The link is opened anew, with fresh records of its peers. So is the membership of the run, in which a node can die
// once.
void meet() {
  sent.clear();
  nodes_left[peer()] = false;
  link_open(nullptr, false);
  membership_start();
  membership_rejects = link_rejected;
  link_rejected = reject;
  link_meet(peer(), whole_address);
  HelloMessage hello{};
  for (uint32_t half = 0; half < 2; half++) {
    const uint32_t words[] = {half, static_cast<uint32_t>(peer()), static_cast<uint32_t>(node.self)};
    const uint64_t hash = siphash(token, words, sizeof words);
    memcpy(hello.token_proof + 8 * half, &hash, sizeof hash);
  }
  hello.abi_version = SKEIN_ABI_VERSION;
  hello.image_version = image_wire_version;
  hello.stack_geometry = stack_geometry();
  memcpy(hello.build_id, program_module().build_id, sizeof hello.build_id);
  deliver(make(hello));
  rejected.clear();
}

bool suspects() {
  bootstrap::Packet packet;
  bool any = false;
  while (recv(launcher, &packet, sizeof packet, MSG_DONTWAIT) > 0)
    any |= packet.header.type == bootstrap::Type::suspect;
  return any;
}

void bury() {
  membership_died(peer(), "is dead");
  char packet[5000];
  while (recv(launcher, packet, sizeof packet, MSG_DONTWAIT) > 0)
    ;
  while (Thread *thread = take_ready_for_steal())
    thread_abandon(thread);
  outbox_flush(true);
  births_forget();
}

const Bytes *heard(MessageType type, size_t skip) {
  const Bytes *found = nullptr;
  for (auto one = sent.rbegin(); one != sent.rend(); ++one)
    if ((*one)[1] == static_cast<unsigned char>(type)) {
      found = &*one;
      if (skip-- == 0)
        return found;
    }
  return found;
}

int64_t end_of(uint64_t pending) {
  static uint64_t calls;
  sent.clear();
  deliver(tell<AwaitMessage>(++calls, pending, static_cast<uint64_t>(AwaitWhat::end)));
  const auto *reply = heard<ReplyMessage>();
  return reply ? static_cast<int64_t>(reply->value) : -1;
}

Test::Test() {
  static const bool started = (start(0), true);
  (void)started;
}

void Test::TearDown() {
  EXPECT_EQ(rejected, "");
  bury();
  meet();
}

} // namespace skein::test::lone_node

extern "C" __attribute__((visibility("default"))) const skein_transport *skein_transport_table() {
  return &skein::test::lone_node::stub;
}
