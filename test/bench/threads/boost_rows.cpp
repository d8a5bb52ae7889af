// `skein bench threads`: Boost.Context's jump and Boost.Fiber, on one kernel thread.
#include "rows.h"

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/fiber/all.hpp>
#include <vector>

namespace context = boost::context::detail;
namespace fibers = boost::fibers;

namespace {

constexpr int many = 1000000, fibers_at_once = 10000;

void jumper(context::transfer_t from) {
  for (;;)
    from = context::jump_fcontext(from.fctx, nullptr);
}

void raw() {
  boost::context::fixedsize_stack allocator;
  auto stack = allocator.allocate();
  context::fcontext_t partner = context::make_fcontext(stack.sp, stack.size, jumper);
  context::transfer_t transfer = context::jump_fcontext(partner, nullptr);
  double begin = now_ns();
  for (int i = 0; i < many; i++)
    transfer = context::jump_fcontext(transfer.fctx, nullptr);
  row("raw", begin, now_ns(), 2.0 * many);
  allocator.deallocate(stack);
}

void create() {
  for (int round = 0; round < 2; round++) {
    std::vector<fibers::fiber> all;
    all.reserve(fibers_at_once);
    double begin = now_ns();
    for (int i = 0; i < fibers_at_once; i++)
      all.emplace_back(fibers::launch::post, [] {});
    double end = now_ns();
    for (fibers::fiber &fiber : all)
      fiber.join();
    if (round == 1)
      row("create", begin, end, fibers_at_once);
  }
}

void null() {
  double begin = now_ns();
  for (int i = 0; i < many / 4; i++)
    fibers::fiber(fibers::launch::post, [] {}).join();
  row("null", begin, now_ns(), many / 4);
}

void yields() {
  for (int i = 0; i < many; i++)
    boost::this_fiber::yield();
}

void context_switch() {
  fibers::fiber other(fibers::launch::post, yields);
  double begin = now_ns();
  yields();
  row("switch", begin, now_ns(), 2.0 * many);
  other.join();
}

fibers::mutex mutex;

void mutexes() {
  double begin = now_ns();
  for (int i = 0; i < many; i++) {
    mutex.lock();
    mutex.unlock();
  }
  row("mutex", begin, now_ns(), many);
  constexpr int count = many / 2;
  auto player = [] {
    for (int i = 0; i < count; i++) {
      mutex.lock();
      boost::this_fiber::yield();
      mutex.unlock();
    }
  };
  begin = now_ns();
  fibers::fiber other(fibers::launch::post, player);
  player();
  other.join();
  row("mutex-ping-pong", begin, now_ns(), count);
}

void channel() {
  fibers::unbuffered_channel<long> messages;
  fibers::fiber other(fibers::launch::post, [&] {
    for (long i = 0; i < many; i++)
      messages.push(i);
  });
  long got;
  double begin = now_ns();
  for (int i = 0; i < many; i++)
    messages.pop(got);
  row("channel", begin, now_ns(), many);
  other.join();
}

} // namespace

int main() {
  raw();
  create();
  null();
  context_switch();
  mutexes();
  channel();
}
