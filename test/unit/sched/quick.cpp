// The quick way of skein_yield, for one worker. Each test is a process of its own, in which no other worker has run.
#include "../alone.h"

#include <cerrno>
#include <cfenv>
#include <pthread.h>

using namespace skein;
using namespace skein::test;

namespace {

int wrong;
long turns[3];

/// The thread keeps its own number in errno, in the rounding mode and in the exceptions that were raised (these two are
/// those of SSE, since those of the x87 belong to the kernel thread), whatever others do meanwhile.
void keeps(int name, int rounding, int raised) {
  fesetround(rounding);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(raised);
  for (int i = 0; i < 3000; i++) {
    errno = name;
    const int after = name + 1;
    skein_yield();
    if (errno != name || fegetround() != rounding || fetestexcept(FE_ALL_EXCEPT) != raised || after != name + 1)
      wrong = name;
    turns[name - 1]++;
    for (int other = 0; other < 3; other++)
      if (i < 2900 && (turns[other] < i - 60 || turns[other] > i + 60)) // they take turns
        wrong = 10 + name;
  }
}

TEST(Quick, YieldKeepsWhatIsAThreadsOwn) {
  alone([] {
    uint64_t ids[] = {spawn(keeps, 1, FE_UPWARD, FE_DIVBYZERO), spawn(keeps, 2, FE_TONEAREST, 0),
                      spawn(keeps, 3, FE_DOWNWARD, FE_INVALID | FE_DIVBYZERO)};
    for (uint64_t id : ids)
      skein_join(id);
    return wrong;
  });
}

int order[3] = {-1, -1, -1};
int begun;

TEST(Quick, WhoIsJoinedGoesFirst) {
  alone([] {
    uint64_t ids[3];
    for (int i = 0; i < 3; i++)
      ids[i] = spawn(+[](int name) { order[begun++] = name; }, i);
    for (uint64_t id : ids)
      skein_join(id);
    return order[0] == 0 && order[1] == 1 && order[2] == 2 ? 0 : 1;
  });
}

std::atomic<long> counted;
std::atomic<bool> over;

void *comes(void *delay) {
  usleep(static_cast<useconds_t>(reinterpret_cast<uintptr_t>(delay)));
  for (int i = 0; i < 50; i++)
    spawn(+[] { counted++; }); // from its first lock on, no worker is alone any more
  over = true;
  return nullptr;
}

TEST(Quick, SomebodyComesInTheMiddle) {
  for (uintptr_t delay = 0; delay < 8; delay++)
    alone([delay] {
      uint64_t ids[3];
      for (uint64_t &id : ids)
        id = spawn(+[] {
          while (!over || counted < 50)
            skein_yield();
        });
      pthread_t kernel_thread;
      pthread_create(&kernel_thread, nullptr, comes, reinterpret_cast<void *>(200 * delay));
      for (uint64_t id : ids)
        skein_join(id);
      pthread_join(kernel_thread, nullptr);
      return alone_state.load() == RuntimeUsers::many && counted == 50 ? 0 : 1;
    });
}

} // namespace
