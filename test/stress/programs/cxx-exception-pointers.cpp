// Exceptions that are kept: std::exception_ptr across moves, thrown again several times, nested ones.
// refused: foreign
#include "hop.h"
#include <exception>
#include <stdexcept>
#include <string>

static NOINLINE std::exception_ptr keep(int n) {
  int local = n;
  try {
    hop();
    if (n % 2)
      throw std::runtime_error("odd " + std::to_string(local));
    throw local;
  } catch (...) {
    hop();
    return std::current_exception();
  }
}

static NOINLINE int again(const std::exception_ptr &kept, int times) {
  if (times == 0)
    std::rethrow_exception(kept);
  try {
    hop();
    return again(kept, times - 1);
  } catch (std::runtime_error &e) {
    hop();
    printf("  %d %s\n", times, e.what());
    if (times > 2)
      return times;
    throw;
  } catch (int &n) {
    hop();
    printf("  %d %d\n", times, n++);
    hop();
    if (times > 2)
      return n;
    throw;
  }
}

static NOINLINE void nested(int n) {
  try {
    try {
      hop();
      throw n;
    } catch (...) {
      hop();
      std::throw_with_nested(std::logic_error("outer"));
    }
  } catch (const std::exception &e) {
    hop();
    printf("%s\n", e.what());
    try {
      hop();
      std::rethrow_if_nested(e);
    } catch (int inner) {
      hop();
      printf("%s around %d\n", e.what(), inner);
    }
  }
}

int main() {
  for (int n = 0; n < 4; n++) {
    std::exception_ptr kept = keep(n), copy;
    hop();
    copy = kept;
    kept = nullptr;
    printf("%d\n", again(copy, 4));
    hop();
  }
  nested(7);
  std::exception_ptr made = std::make_exception_ptr(2.5);
  hop();
  try {
    std::rethrow_exception(made);
  } catch (double d) {
    hop();
    printf("%g\n", d);
  }
}
