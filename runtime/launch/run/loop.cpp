// The loop; see loop.h.
#include "launch/run/loop.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/epoll.h>
#include <unistd.h>

namespace skein::launch {

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0)
    throw std::string("epoll_create1: ") + strerror(errno);
}

Loop::~Loop() { close(epoll_); }

void Loop::watch(int descriptor, Kind kind, std::function<void()> function) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<uint64_t>(next_serial_) << 32 | static_cast<uint32_t>(descriptor);
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw std::string("epoll_ctl: ") + strerror(errno);
  watched_.insert_or_assign(descriptor, Watched{kind, next_serial_++, std::move(function)});
}

void Loop::watch_for_room(int descriptor, bool wanted) {
  const auto found = watched_.find(descriptor);
  if (found == watched_.end())
    return;
  epoll_event event{};
  event.events = EPOLLIN | (wanted ? static_cast<uint32_t>(EPOLLOUT) : 0u);
  event.data.u64 = static_cast<uint64_t>(found->second.serial) << 32 | static_cast<uint32_t>(descriptor);
  epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event);
}

void Loop::forget(int descriptor) {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  watched_.erase(descriptor);
}

void Loop::step(int wait_ms) {
  epoll_event events[64];
  const int count = epoll_wait(epoll_, events, 64, wait_ms);
  for (auto kind = Kind{}; kind < Kind::count; kind = static_cast<Kind>(static_cast<int>(kind) + 1))
    for (int i = 0; i < count; i++) {
      const auto found = watched_.find(static_cast<int>(static_cast<uint32_t>(events[i].data.u64)));
      if (found == watched_.end() || found->second.serial != events[i].data.u64 >> 32 || found->second.kind != kind)
        continue;
      const std::function<void()> function = found->second.function; // it may forget itself
      function();
    }
}

} // namespace skein::launch
