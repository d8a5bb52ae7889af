// Ping-pong with messages of one of Skein's transports (pair.h), without anything above it: no threads, no protocol, no
// checks. Sleeping is `arm` and poll(), as the progress thread does.
//
//   transport_pair LIBRARY sealed|plain [--stream] COUNT BYTES...
#include "pair.h"
#include "transport_side.h"

#include <poll.h>

namespace {

const char *library;
int sealed;

class Way {
public:
  Way(int socket, bool first) : to_(first ? 1 : 0) {
    const char *wrong;
    transport_ = transport_of(library, wrong);
    if (!transport_)
      fail(library, wrong);
    static const unsigned char secret[SKEIN_TRANSPORT_SECRET_BYTES] = {'b', 'e', 'n', 'c', 'h'};
    skein_transport_setup setup{};
    setup.peers = 2;
    setup.self = 1 - to_;
    setup.receive = receive_one;
    setup.lost = [](void *, int, const char *why) { fail("the connection was lost", why); };
    setup.note = [](void *, const char *text) { fprintf(stderr, "%s\n", text); };
    setup.context = this;
    setup.secret = secret;
    setup.sealed = sealed;
    setup.listen = "127.0.0.1";
    wrong = transport_meet(transport_, setup, socket);
    if (wrong)
      fail("connect", wrong);
  }
  void send(size_t bytes) {
    void *message = malloc(std::max<size_t>(bytes, 1));
    incoming_.resize(std::max(incoming_.size(), bytes));
    memcpy(message, incoming_.data(), bytes);
    if (!transport_->lend(to_, message, bytes))
      free(message);
    while (transport_->pending() > 8)
      transport_->progress(1);
  }
  void receive(size_t, bool sleeping) {
    for (seen_++; count_ < seen_;) {
      if (transport_->progress(64) || !sleeping || transport_->arm() != 1)
        continue;
      pollfd entry{transport_->wait_fd(), POLLIN, 0};
      poll(&entry, 1, -1);
    }
  }
  void finish() {
    while (transport_->pending())
      transport_->progress(1);
  }

private:
  static int receive_one(void *context, int, void *message, size_t bytes) {
    auto *self = static_cast<Way *>(context);
    self->incoming_.resize(std::max(self->incoming_.size(), bytes));
    memcpy(self->incoming_.data(), message, bytes);
    self->count_++;
    return 0;
  }

  const skein_transport *transport_ = nullptr;
  const int to_;
  std::vector<char> incoming_;
  uint64_t count_ = 0, seen_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 4)
    fail("usage", "transport_pair LIBRARY sealed|plain [--stream] COUNT BYTES...");
  library = argv[1];
  sealed = strcmp(argv[2], "plain") != 0;
  return play_pair<Way>(argc - 2, argv + 2);
}
