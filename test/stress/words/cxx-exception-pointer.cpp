// A thrown object with a hidden address, kept by std::exception_ptr.
#include "words.h"
#include <exception>
struct Hidden {
  uint64_t v;
};
static NOINLINE std::exception_ptr make(long *p) {
  try {
    throw Hidden{(uintptr_t)p ^ key()};
  } catch (...) {
    return std::current_exception();
  }
}
int main() {
  long a = 5;
  std::exception_ptr e = make(&a);
  hop();
  try {
    std::rethrow_exception(e);
  } catch (const Hidden &h) {
    printf("%ld\n", *(long *)(h.v ^ key()));
  }
}
