// std::atomic_ref on an ordinary pointer, and std::atomic of a struct of one pointer.
#include "words.h"
#include <atomic>

struct Handle {
  long *to;
  bool operator==(const Handle &) const = default;
};

static NOINLINE long look(long *&plain, std::atomic<Handle> &handle, long *other) {
  long *old = std::atomic_ref<long *>(plain).exchange(other);
  Handle was = handle.load();
  hop();
  long result = *old * 100 + *was.to * 10;
  bool same = handle.compare_exchange_strong(was, Handle{other});
  hop();
  return result + same * 1000 + *handle.load().to;
}

int main() {
  long a = 1, b = 2;
  long *plain = &a;
  std::atomic<Handle> handle(Handle{&a});
  printf("%ld\n", look(plain, handle, &b));
}
