// The transports between real processes: messages of all sizes must arrive whole and once, sleeping on the descriptor
// must lose none, and a dead peer must hang no process. Each process is forked before anything of UCX is loaded; the
// addresses travel by sockets.
#include "net/wire/transport.h"
#include "../../bench/transport_side.h"
#include "net/wire/shm/inbox.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {

struct Received {
  std::vector<std::vector<unsigned char>> messages;
};

double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// One end; the other process is peer 1 - self.
class End {
public:
  End(int self, int socket, const char *kind) : self_(self) {
    const char *library = !strcmp(kind, "shm")   ? SKEIN_SHM_LIBRARY
                          : !strcmp(kind, "ucx") ? SKEIN_UCX_LIBRARY
                                                 : SKEIN_TCP_LIBRARY;
    const char *wrong;
    transport = transport_of(library, wrong);
    check(transport, wrong);
    static const unsigned char secret[SKEIN_TRANSPORT_SECRET_BYTES] = {1, 2, 3};
    skein_transport_setup setup{};
    setup.peers = 2;
    setup.self = self;
    setup.receive = receive;
    setup.lost = [](void *context, int, const char *why) {
      auto *end = static_cast<End *>(context);
      end->losses++;
      end->why = why;
    };
    setup.context = this;
    setup.at_once = at_once;
    setup.secret = secret;
    setup.sealed = !strcmp(kind, "sealed");
    setup.listen = "127.0.0.1";
    wrong = transport_meet(transport, setup, socket);
    check(!wrong, wrong);
  }

  void send(const std::vector<unsigned char> &content) {
    void *message = malloc(content.size());
    memcpy(message, content.data(), content.size());
    check(transport->send(1 - self_, message, content.size()) == 0, "send");
  }
  /// Sleeps on the descriptor until something arrives; there is no busy polling.
  void wait_for(size_t count) {
    double deadline = seconds() + 20;
    while (received.messages.size() < count) {
      if (transport->progress(1))
        continue;
      check(seconds() < deadline, why);
      if (transport->arm() != 1)
        continue;
      pollfd descriptor = {transport->wait_fd(), POLLIN, 0};
      poll(&descriptor, 1, 1000);
    }
  }
  /// Returns when everything that was handed over has left.
  void drain() {
    double deadline = seconds() + 20;
    while (transport->pending() > 0) {
      transport->progress(1);
      check(seconds() < deadline, "messages do not leave");
    }
  }
  static void check(bool good, const char *what) {
    if (!good) {
      fprintf(stderr, "transport test: %s\n", what);
      _exit(1);
    }
  }

  const skein_transport *transport;
  Received received;
  int losses = 0;
  const char *why = "nothing arrives";

  /// Whether messages whose first byte is `asked` are answered at once, by one whose first byte is `reply`.
  bool answers = false;
  static constexpr unsigned char asked = 0xa5;

private:
  static int at_once(void *context, int, const void *message, size_t bytes, skein_transport_answer *answer) {
    auto *self = static_cast<End *>(context);
    const auto *at = static_cast<const unsigned char *>(message);
    if (!self->answers || bytes < 2 || at[0] != asked)
      return 0;
    auto *reply = static_cast<unsigned char *>(malloc(bytes));
    memcpy(reply, at, bytes);
    reply[0] = at[1];
    *answer = {1 - self->self_, reply, bytes};
    return 1;
  }
  /// Keeps every second message.
  static int receive(void *context, int, void *message, size_t bytes) {
    auto *self = static_cast<End *>(context);
    check(reinterpret_cast<uintptr_t>(message) % 16 == 0, "alignment");
    auto *at = static_cast<unsigned char *>(message);
    self->received.messages.emplace_back(at, at + bytes);
    const bool keeps = self->received.messages.size() % 2;
    if (keeps)
      free(message);
    return keeps;
  }
  int self_;
};

std::vector<unsigned char> content_of(size_t bytes, unsigned seed) {
  std::vector<unsigned char> content(bytes);
  for (size_t i = 0; i < bytes; i++)
    content[i] = static_cast<unsigned char>(i * 31 + i / 251 + seed);
  return content;
}

/// Runs each body in a process of its own; true if both ended well.
bool in_two_processes(const char *kind, const std::function<void(End &)> &first,
                      const std::function<void(End &)> &second) {
  int sockets[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
  pid_t children[2];
  for (int i = 0; i < 2; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      setenv("UCX_TLS", "posix,cma,self", 1); // UCX is not loaded yet
      alarm(60);
      End end(i, sockets[i], kind);
      (i == 0 ? first : second)(end);
      _exit(0);
    }
  }
  close(sockets[0]);
  close(sockets[1]);
  bool good = true;
  for (pid_t child : children) {
    int status;
    waitpid(child, &status, 0);
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return good;
}

const std::vector<size_t> sizes = {1, 8, 100, 1000, 8000, 16384, 65535, 65536, 65537, 200000, 1 << 20, 4 << 20};

class Transport : public testing::TestWithParam<const char *> {};

} // namespace

TEST_P(Transport, AllSizesArriveWholeAndOnce) {
  auto sender = [](End &end) {
    for (size_t i = 0; i < sizes.size(); i++)
      end.send(content_of(sizes[i], static_cast<unsigned>(i)));
    end.drain();
    end.wait_for(1); // the other end says that it has received everything
  };
  auto receiver = [](End &end) {
    end.wait_for(sizes.size());
    std::sort(end.received.messages.begin(), end.received.messages.end(),
              [](const auto &a, const auto &b) { return a.size() < b.size(); }); // others may overtake large ones
    for (size_t i = 0; i < sizes.size(); i++)
      End::check(end.received.messages[i] == content_of(sizes[i], static_cast<unsigned>(i)), "content");
    end.send({1});
    end.drain();
    usleep(20000); // it must not find more than was sent
    end.transport->progress(1);
    End::check(end.received.messages.size() == sizes.size(), "too many messages");
  };
  EXPECT_TRUE(in_two_processes(GetParam(), sender, receiver));
}

TEST_P(Transport, SmallOnesKeepTheirOrder) {
  constexpr unsigned count = 20000;
  auto sender = [](End &end) {
    for (unsigned i = 0; i < count; i++) {
      std::vector<unsigned char> message(16);
      memcpy(message.data(), &i, sizeof i);
      end.send(message);
    }
    end.wait_for(1);
  };
  auto receiver = [](End &end) {
    end.wait_for(count);
    for (unsigned i = 0; i < count; i++) {
      unsigned number;
      memcpy(&number, end.received.messages[i].data(), sizeof number);
      End::check(number == i, "order");
    }
    end.send({1});
    end.drain();
    usleep(20000);
  };
  EXPECT_TRUE(in_two_processes(GetParam(), sender, receiver));
}

TEST_P(Transport, AnswersAtOnce) {
  constexpr unsigned char count = 200;
  auto asker = [](End &end) {
    for (unsigned char i = 0; i < count; i++) // more than a queue holds, and also larger than its elements
      end.send(i % 2 ? std::vector<unsigned char>{End::asked, i}
                     : std::vector<unsigned char>(3000, i % 4 ? i : End::asked));
    end.wait_for(count / 2 + count / 4);
    std::vector<unsigned> first(256);
    for (const auto &message : end.received.messages)
      first[message[0]]++;
    for (unsigned i = 1; i < count; i += 2)
      End::check(first[i] == 1 + (i == End::asked ? count / 4 : 0), "answers");
    end.send({1});
    end.drain();
    usleep(20000);
  };
  auto answerer = [](End &end) {
    end.answers = true;
    end.wait_for(count / 4 + 1); // those that are not answered, and the last one
    for (const auto &message : end.received.messages)
      End::check(message[0] != End::asked, "what was answered is received, too");
  };
  EXPECT_TRUE(in_two_processes(GetParam(), asker, answerer));
}

TEST_P(Transport, SleepingLosesNoMessage) {
  constexpr unsigned rounds = 300;
  auto first = [](End &end) {
    for (unsigned i = 0; i < rounds; i++) {
      if (i % 50 == 0)
        usleep(3000); // now the other is surely asleep
      end.send({static_cast<unsigned char>(i)});
      end.wait_for(i + 1);
    }
  };
  auto second = [](End &end) {
    for (unsigned i = 0; i < rounds; i++) {
      end.wait_for(i + 1);
      end.send({static_cast<unsigned char>(i)});
    }
    end.drain();
    usleep(20000);
  };
  EXPECT_TRUE(in_two_processes(GetParam(), first, second));
}

TEST_P(Transport, ADeadPeerHangsNobody) {
  auto victim = [](End &end) {
    end.wait_for(1);
    _exit(0); // ends without any message
  };
  auto survivor = [](End &end) {
    end.send({1});
    end.drain();
    usleep(100000);
    double begin = seconds();
    for (size_t size : {size_t{8}, size_t{4096}, size_t{1} << 20}) {
      void *message = malloc(size);
      memset(message, 0, size);
      end.transport->send(1, message, size); // this may fail, but may not block
      end.transport->progress(1);
    }
    for (int i = 0; i < 100 && strcmp(end.transport->name, "tcp") == 0 && end.losses == 0; i++)
      end.transport->progress(1);
    End::check(strcmp(end.transport->name, "tcp") != 0 || end.losses == 1, "the end of the connection was not told");
    end.transport->disconnect(1);
    for (int i = 0; i < 100; i++)
      end.transport->progress(1);
    End::check(end.transport->send(1, malloc(8), 8) == -1, "sending to a forgotten peer");
    End::check(end.transport->pending() == 0, "cancelled");
    End::check(seconds() - begin < 2, "hung");
  };
  EXPECT_TRUE(in_two_processes(GetParam(), survivor, victim));
}

TEST_P(Transport, AForgottenPeersFullQueueKeepsNobodyAwake) {
  auto victim = [](End &end) {
    end.wait_for(1);
    sleep(1); // and takes nothing out of its queue
    _exit(0);
  };
  auto survivor = [](End &end) {
    const bool tcp = strcmp(end.transport->name, "tcp") == 0; // its socket tells when there is room
    end.send({1});
    end.drain();
    usleep(100000);
    for (int i = 0; i < 100000 && end.transport->pending() == 0; i++)
      end.send(content_of(1000, 0));
    end.transport->progress(1);
    End::check(end.transport->pending() > 0, "there is room for everything");
    End::check(end.transport->arm() == (tcp ? 1 : 2), "who waits for room sleeps long");
    end.transport->disconnect(1);
    while (end.transport->progress(1) > 0)
      ;
    End::check(end.transport->pending() == 0, "cancelled");
    End::check(end.transport->arm() == 1, "who waits for nobody does not sleep");
    end.transport->close();
  };
  EXPECT_TRUE(in_two_processes(GetParam(), survivor, victim));
}

/// A kernel thread hands over more than there is room for while another one, which drives the transport, is asleep.
TEST_P(Transport, WhoSleepsIsWokenForWhatWaitsForRoom) {
  auto sender = [](End &end) {
    end.send({1});
    end.drain();
    std::thread computes([&end] {
      usleep(100000); // now the other kernel thread is asleep
      end.send(content_of(4 << 20, 0));
    });
    const double begin = seconds();
    for (bool answered = false; !answered; answered = !end.received.messages.empty()) {
      if (end.transport->progress(1))
        continue;
      if (const int armed = end.transport->arm(); armed > 0) {
        pollfd descriptor = {end.transport->wait_fd(), POLLIN, 0};
        poll(&descriptor, 1, armed == 1 ? 10000 : 1);
      }
    }
    computes.join();
    End::check(seconds() - begin < 5, "the rest of a message waited until its sender woke up for something else");
  };
  auto receiver = [](End &end) {
    end.wait_for(2);
    end.send({1});
    end.drain();
    usleep(50000);
  };
  EXPECT_TRUE(in_two_processes(GetParam(), sender, receiver));
}

TEST_P(Transport, SmallOnesDoNotWaitForLargeOnes) {
  constexpr size_t large = 64 << 20;
  auto sender = [](End &end) {
    void *message = calloc(1, large);
    for (int i = 0; i < 4; i++) {
      memset(message, i, large);
      void *copy = malloc(large);
      memcpy(copy, message, large);
      End::check(end.transport->send(1, copy, large) == 0, "send");
    }
    end.send({7});
    end.wait_for(1);
  };
  auto receiver = [](End &end) {
    end.wait_for(5);
    size_t small = 0;
    while (end.received.messages[small].size() != 1)
      small++;
    End::check(small < 4, "the small one came last");
    unsigned char next = 0;
    for (const auto &message : end.received.messages)
      if (message.size() != 1) {
        End::check(message.size() == large && message[0] == next && message[large - 1] == next, "large ones' order");
        next++;
      }
    end.send({1});
    end.drain();
    usleep(50000);
  };
  EXPECT_TRUE(in_two_processes(GetParam(), sender, receiver));
}

/// A peer whose memory is damaged may write anything into its ring. It is lost, and nothing else happens.
TEST(SharedMemory, ADamagedRingIsReportedOnce) {
  auto sender = [](End &end) {
    end.send({1, 2, 3});
    sleep(1); // the other end may not find it dead
  };
  auto receiver = [](End &end) {
    skein_transport_address own;
    end.transport->address(&own);
    void *memory = mmap(nullptr, skein::shm::inbox_bytes(2), PROT_READ | PROT_WRITE, MAP_SHARED, own.descriptors[0], 0);
    End::check(memory != MAP_FAILED, "mmap");
    auto *header = reinterpret_cast<skein::shm::Header *>(
        skein::shm::ring_of(static_cast<skein::shm::InboxHead *>(memory), 2, 0) + 1);
    while (__atomic_load_n(&header->stamp, __ATOMIC_ACQUIRE) == 0)
      usleep(1000);
    header->bytes = UINT32_MAX;
    for (int i = 0; i < 100; i++)
      end.transport->progress(1);
    End::check(end.losses == 1, "the damage was not reported once");
    End::check(end.received.messages.empty(), "something was received");
    end.transport->disconnect(0);
    end.transport->progress(1);
  };
  EXPECT_TRUE(in_two_processes("shm", sender, receiver));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Transport, testing::Values("shm", "ucx", "sealed", "plain"),
                         [](const auto &info) { return std::string(info.param); });
