// skein-tunnel: started by `skein run --listen` and `skein join`, with arguments that are complete; see tunnel.h.
#include "launch/tunnel/tunnel.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv) {
  using namespace skein::tunnel;
  signal(SIGPIPE, SIG_IGN);
  try {
    const std::string what = argc == 5 ? argv[1] : "";
    if (what == "listen")
      return listen(parse_endpoint(argv[2]), argv[3], atoi(argv[4]));
    if (what == "connect")
      return connect(parse_endpoints(argv[2]), argv[3], atoi(argv[4]));
  } catch (const std::string &why) {
    fprintf(stderr, "skein join: %s\n", why.c_str());
    return 1;
  }
  fputs("This is a part of the `skein` command.\n", stderr);
  return 2;
}
