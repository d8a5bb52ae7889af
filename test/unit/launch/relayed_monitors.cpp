// What is said to the monitor of a node on another host, and by it: two relays whose streams are a function call.
#include "launch/run/file_of_node.h"
#include "launch/run/local_socket.h"
#include "launch/run/monitor_relay.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace skein::launch;

namespace {

class MonitorRelayTest : public ::testing::Test {
protected:
  MonitorRelayTest() {
    char name[] = "/tmp/skein-relay-XXXXXX";
    folder = mkdtemp(name);
    std::filesystem::create_directories(here());
    std::filesystem::create_directories(there());
    monitor = listen_at(file_of_node(there(), 3), SOCK_STREAM, 16);
    near.open_door(here(), 3);
  }
  ~MonitorRelayTest() override {
    close(monitor);
    std::filesystem::remove_all(folder);
  }
  std::string here() const { return folder + "/here"; }
  std::string there() const { return folder + "/there"; }

  void turn(int times = 20) {
    for (int i = 0; i < times; i++)
      loop.step(0);
  }
  int enter() {
    const int client = connect_at(file_of_node(here(), 3), SOCK_STREAM);
    EXPECT_GE(client, 0);
    return client;
  }
  static void say(int socket, const std::string &text) {
    ASSERT_EQ(send(socket, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  /// What is there to be read; "<end>" behind it if the other side has hung up.
  std::string heard(int socket) {
    std::string all;
    static char bytes[1 << 16];
    for (;;) {
      turn(4);
      const ssize_t got = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got == 0)
        return all + "<end>";
      if (got < 0)
        return all;
      all.append(bytes, static_cast<size_t>(got));
    }
  }

  std::string folder;
  int monitor = -1;
  Loop loop;
  MonitorRelay near{loop, [this](int node, int connection, const std::string &bytes) {
                      far.heard(node, connection, bytes, there());
                    }};
  MonitorRelay far{loop,
                   [this](int node, int connection, const std::string &bytes) { near.heard(node, connection, bytes); }};
};

TEST_F(MonitorRelayTest, QuestionsAndAnswersComeToTheRightOnes) {
  const int one = enter(), other = enter();
  say(one, "one?\n");
  turn();
  const int to_one = accept(monitor, nullptr, nullptr);
  say(other, "other?\n");
  turn();
  const int to_other = accept(monitor, nullptr, nullptr);
  EXPECT_EQ(heard(to_one), "one?\n");
  EXPECT_EQ(heard(to_other), "other?\n");
  say(to_other, "other!\n");
  say(to_one, "one!\n");
  EXPECT_EQ(heard(one), "one!\n");
  EXPECT_EQ(heard(other), "other!\n");
  say(one, "again?\n");
  turn();
  EXPECT_EQ(heard(to_one), "again?\n");
  close(one);
  EXPECT_EQ(heard(to_one), "<end>");
  close(to_other);
  EXPECT_EQ(heard(other), "<end>");
  for (const int socket : {to_one, other})
    close(socket);
}

TEST_F(MonitorRelayTest, LongAnswersComeWhole) {
  const int client = enter();
  say(client, "threads?\n");
  turn();
  const int node = accept4(monitor, nullptr, nullptr, SOCK_NONBLOCK);
  std::string answer, come;
  for (int i = 0; i < 3 << 20; i++)
    answer += static_cast<char>('a' + i % 23);
  for (size_t said = 0; said < answer.size();) {
    const ssize_t sent = send(node, answer.data() + said, answer.size() - said, MSG_NOSIGNAL);
    said += sent > 0 ? static_cast<size_t>(sent) : 0;
    turn(2);
    if (said < answer.size() / 2)
      continue; // the client does not read at first
    come += heard(client);
  }
  for (int i = 0; i < 100 && come.size() < answer.size(); i++)
    come += heard(client);
  EXPECT_TRUE(come == answer) << come.size();
  close(node);
  close(client);
}

TEST_F(MonitorRelayTest, WhoDoesNotReadIsHungUpOn) {
  const int client = enter();
  say(client, "threads?\n");
  turn();
  const int node = accept4(monitor, nullptr, nullptr, SOCK_NONBLOCK);
  const std::string much(1 << 20, 'x');
  bool hung_up = false;
  for (int i = 0; i < 4000 && !hung_up; i++) {
    hung_up = send(node, much.data(), much.size(), MSG_NOSIGNAL) < 0 && errno == EPIPE;
    turn(2);
  }
  EXPECT_TRUE(hung_up);
  close(node);
  close(client);
}

TEST_F(MonitorRelayTest, NodeWithoutMonitorHangsUp) {
  std::filesystem::remove(file_of_node(there(), 3));
  const int client = enter();
  say(client, "figures\n");
  EXPECT_EQ(heard(client), "<end>");
  close(client);
}

TEST_F(MonitorRelayTest, ClosedDoorIsGone) {
  const int client = enter();
  say(client, "figures\n");
  turn();
  near.close_door(3);
  EXPECT_EQ(heard(client), "<end>");
  EXPECT_FALSE(std::filesystem::exists(file_of_node(here(), 3)));
  close(client);
  near.open_door(here(), 3); // a node of a later life of the run
  const int again = enter();
  say(again, "figures\n");
  turn();
  close(again);
}

} // namespace
