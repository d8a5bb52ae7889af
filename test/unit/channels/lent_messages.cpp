// Messages that stay with their sender until they are received (net/messages/lent_memory.h): the test plays node 0,
// whose memory is that of a child of this process.
#include "../net/lone_node.h"

#include "base/knobs.h"
#include "base/node.h"
#include "channels/channel.h"
#include "net/messages/lent_memory.h"

#include <csignal>
#include <gtest/gtest.h>
#include <skein/skein.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace skein;
using namespace skein::test::lone_node;

namespace {

constexpr size_t bytes = 40000;

/// What the child has, as a lender has it; this process has it at the same place, and changes it.
struct Sender {
  uint64_t proof, length, address;
  char message[bytes];
};

class LentMessages : public testing::Test {
protected:
  LentMessages() {
    static const bool started = (start(1), true);
    (void)started;
    sent.clear();
    lender_ = new Sender{link_proof_of(0), bytes, 0, {}};
    lender_->address = reinterpret_cast<uint64_t>(lender_->message);
    std::fill_n(lender_->message, bytes, 'a');
    child_ = fork();
    while (child_ == 0)
      pause();
    std::fill_n(lender_->message, bytes, 'b');
  }
  ~LentMessages() override {
    EXPECT_EQ(rejected, "");
    end_child();
    delete lender_;
    uint64_t forward;
    for (const uint64_t channel : channels_)
      channel_close(channel, true, forward);
    sent.clear();
  }
  void end_child() {
    if (child_ <= 0)
      return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

  uint64_t channel(size_t capacity) {
    channels_.push_back(channel_new(capacity));
    return channels_.back();
  }
  LentPlace place() const { return {static_cast<uint64_t>(child_), reinterpret_cast<uint64_t>(lender_)}; }
  /// Node 0 uses a channel. Returns the number of its call.
  static uint64_t uses(uint64_t channel, uint64_t operation, uint64_t length, const void *data = nullptr,
                       size_t data_bytes = 0) {
    deliver(make(ChannelMessage{{}, ++calls_, channel, operation, length, UINT64_MAX}, data, data_bytes));
    return calls_;
  }
  static uint64_t lends(uint64_t channel, const LentPlace &where, uint64_t length = bytes) {
    return uses(channel, SKEIN_CHANNEL_LEND, length, &where, sizeof where);
  }
  static uint64_t receives(uint64_t channel) { return uses(channel, SKEIN_CHANNEL_RECEIVE, bytes); }

  /// What the call has been answered: nothing, "again" with a handle, or the message.
  static std::string answer(uint64_t call) {
    for (const Bytes &one : sent)
      if (const auto *reply = reinterpret_cast<const ReplyMessage *>(one.data());
          one[1] == static_cast<unsigned char>(MessageType::reply) && reply->call == call) {
        const std::string data(reinterpret_cast<const char *>(reply + 1), one.size() - sizeof *reply);
        uint64_t handle = 0;
        if ((reply->value & SKEIN_CHANNEL_CODE) != SKEIN_CHANNEL_AGAIN)
          return "code " + std::to_string(reply->value & SKEIN_CHANNEL_CODE) + " " + data;
        if (data.size() == sizeof handle)
          memcpy(&handle, data.data(), sizeof handle);
        return "again " + std::to_string(handle);
      }
    return "";
  }
  static std::string is_to_be_sent(uint64_t channel) { return "again " + std::to_string(channel); }

  Sender *lender_;
  pid_t child_;

private:
  std::vector<uint64_t> channels_;
  static uint64_t calls_;
};
uint64_t LentMessages::calls_ = 1000;

const std::string whole = "code 0 " + std::string(bytes, 'a');

} // namespace

TEST_F(LentMessages, ComeFromTheMemoryOfTheirSender) {
  const uint64_t rendezvous = channel(0);
  const uint64_t lent = lends(rendezvous, place());
  EXPECT_EQ(answer(lent), ""); // it is still the sender's
  const uint64_t received = receives(rendezvous);
  EXPECT_EQ(answer(received), whole);
  EXPECT_EQ(answer(lent), "code 0 ");
}

TEST_F(LentMessages, AreTheChannelsAsSoonAsItHasRoom) {
  const uint64_t buffered = channel(1);
  EXPECT_EQ(answer(lends(buffered, place())), "code 0 ");
  end_child();
  EXPECT_EQ(answer(receives(buffered)), whole);
}

TEST_F(LentMessages, AreToBeSentIfTheyCannotBeRead) {
  const uint64_t rendezvous = channel(0);
  LentPlace other = place();
  other.process = static_cast<uint64_t>(getpid());
  EXPECT_EQ(answer(lends(rendezvous, other)), is_to_be_sent(rendezvous));
  other = place();
  other.record += 8;
  EXPECT_EQ(answer(lends(rendezvous, other)), is_to_be_sent(rendezvous));
  EXPECT_EQ(answer(lends(rendezvous, place(), bytes - 8)), is_to_be_sent(rendezvous));
}

TEST_F(LentMessages, AreToBeSentIfTheyAreGoneWhenTheyAreWanted) {
  const uint64_t rendezvous = channel(0);
  const uint64_t lent = lends(rendezvous, place());
  end_child();
  const uint64_t received = receives(rendezvous);
  EXPECT_EQ(answer(lent), is_to_be_sent(rendezvous));
  EXPECT_EQ(answer(received), "");
  uses(rendezvous, SKEIN_CHANNEL_SEND, 3, "yes", 3);
  EXPECT_EQ(answer(received), "code 0 yes");
}

TEST_F(LentMessages, AreCopiedWhenTheirThreadLeaves) {
  std::string message(bytes, 'c');
  LentPlace lent_place;
  LentMemory *lent = memory_lend(0, message.data(), bytes, lent_place);
  const auto *record = reinterpret_cast<const Sender *>(lent_place.record);
  EXPECT_EQ(lent_place.process, static_cast<uint64_t>(getpid()));
  EXPECT_EQ(record->address, reinterpret_cast<uint64_t>(message.data()));
  memory_keep(*lent);
  std::fill(message.begin(), message.end(), 'd');
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(record->address), bytes), std::string(bytes, 'c'));
  const uint64_t kept_at = record->address;
  memory_keep(*lent); // it came back, and leaves again
  EXPECT_EQ(record->address, kept_at);
  memory_back(lent);
}

TEST_F(LentMessages, ThoseOfAFewBytesAreSent) {
  knobs.shared = SharedAccess::mapped; // as in a run, whose options are read
  EXPECT_FALSE(memory_is_lent_to(0, 8));
  EXPECT_TRUE(memory_is_lent_to(0, bytes));
  knobs.shared = SharedAccess::remote;
  EXPECT_FALSE(memory_is_lent_to(0, bytes));
  knobs.shared = SharedAccess::mapped;
  memory_not_lent_to(0);
  EXPECT_FALSE(memory_is_lent_to(0, bytes));
}
