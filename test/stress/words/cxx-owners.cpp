// unique_ptr with a deleter that knows a local, shared_ptr to a local, and a guard that holds words.
#include "words.h"
#include <memory>

struct Count {
  uintptr_t hidden;
  void operator()(long *p) const {
    hop();
    *(long *)(hidden ^ key()) += *p;
    delete p;
  }
};

struct Restore {
  uintptr_t where;
  long before;
  ~Restore() {
    hop();
    *(long *)~where = before;
  }
};

static NOINLINE long use(long *total) {
  std::unique_ptr<long, Count> owner(new long(7), Count{(uintptr_t)total ^ key()});
  std::shared_ptr<long> alias(std::make_shared<int>(1), total);
  {
    Restore restore{~(uintptr_t)total, *total};
    *total = 100;
    hop();
  }
  hop();
  owner.reset();
  hop();
  return *alias;
}

int main() {
  long total = 5;
  long result = use(&total);
  printf("%ld\n", result);
}
