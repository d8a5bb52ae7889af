// Ping-pong with bare UCX active messages (pair.h): the yardstick of `skein bench migrate`. Sleeping is arming the
// worker and poll(). Nothing of Skein's transport takes part; only the environment (UCX_TLS and so on) is the one that
// `skein run` gives its nodes.
#include "pair.h"

#include "ucx_side.h"

namespace {

class Way {
public:
  Way(int socket, bool) : side_(socket) {}
  void send(size_t bytes) { side_.send(bytes); }
  void receive(size_t, bool sleeping) { side_.receive(sleeping); }
  void finish() {}

private:
  Side side_;
};

} // namespace

int main(int argc, char **argv) { return play_pair<Way>(argc, argv); }
