// See launcher_line.h.
#include "launch/command/launcher_line.h"

#include "launch/run/clock_ms.h"
#include "launch/run/control.h"

#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

namespace skein::launch {

LauncherLine::LauncherLine(const std::string &folder) : socket_(connect_to_launcher(folder)) {}

LauncherLine::~LauncherLine() { close(socket_); }

void LauncherLine::ask(const std::string &request) const {
  send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
}

LauncherLine::Heard LauncherLine::hear(LauncherAnswer &answer, uint64_t until_ms) const {
  pollfd readable = {socket_, POLLIN, 0};
  for (;;) {
    const uint64_t now = clock_ms();
    if (until_ms != 0 && now >= until_ms)
      return Heard::nothing;
    if (poll(&readable, 1, until_ms != 0 ? static_cast<int>(until_ms - now) : -1) == 1)
      break;
  }
  char text[control_bytes_most];
  const ssize_t bytes = recv(socket_, text, sizeof text, 0);
  if (bytes <= 0)
    return Heard::end;
  std::istringstream line(std::string(text, static_cast<size_t>(bytes)));
  answer = {};
  line >> answer.word >> answer.node >> std::ws;
  std::getline(line, answer.rest);
  return Heard::answer;
}

bool LauncherLine::list(NodeList &list, uint64_t until_ms) const {
  LauncherAnswer answer;
  Heard heard;
  ask("list");
  while ((heard = hear(answer, until_ms)) == Heard::answer) {
    std::istringstream rest(answer.rest);
    if (answer.word == "numbers") {
      list.numbers = answer.node;
      rest >> list.founders;
      continue;
    }
    ListedNode &node = list.nodes.emplace_back();
    node.number = answer.node;
    rest >> node.process >> node.host >> std::ws;
    if (node.host == ".")
      node.host.clear();
    std::getline(rest, node.state);
    if (const size_t colon = node.state.find(": "); colon != std::string::npos) {
      node.why = node.state.substr(colon + 2);
      node.state.resize(colon);
    }
  }
  return heard == Heard::end;
}

bool LauncherLine::last_checkpoint(CheckpointNews &news, uint64_t until_ms) const {
  LauncherAnswer answer;
  Heard heard;
  ask("last");
  while ((heard = hear(answer, until_ms)) == Heard::answer) {
    if (answer.word == "folder")
      news.folder = answer.rest;
    else if (answer.word == "failed")
      news.failed = answer.rest;
    else
      news.number = answer.node;
    if (answer.word == "kept")
      std::istringstream(answer.rest) >> news.bytes >> news.pause_ms >> news.took_ms >> news.age_ms;
    else if (answer.word == "from")
      news.from = answer.rest;
  }
  return heard == Heard::end;
}

} // namespace skein::launch
