// Handlers inside handlers, thrown again from each, by value, reference, pointer and ellipsis, with moves in between.
// refused: foreign
#include "hop.h"
#include <stdexcept>
#include <string>

struct Base {
  int n;
  explicit Base(int n) : n(n) {}
  Base(const Base &) = default;
  virtual const char *name() const { return "base"; }
};
struct Middle : virtual Base {
  explicit Middle(int n) : Base(n) {}
  const char *name() const override { return "middle"; }
};
struct Leaf : Middle {
  int more[20];
  explicit Leaf(int n) : Base(n), Middle(n) {
    hop();
    for (int i = 0; i < 20; i++)
      more[i] = n + i;
  }
  const char *name() const override { return "leaf"; }
};

static NOINLINE void throw_one(int kind, int *place) {
  int local = kind;
  hop();
  switch (kind) {
  case 0:
    throw Leaf(local + *place);
  case 1:
    throw Middle(local + *place);
  case 2:
    throw Base(local + *place);
  case 3:
    throw place;
  case 4:
    throw "text";
  case 5:
    throw std::out_of_range(std::to_string(local + *place));
  case 6:
    throw 2.5;
  default:
    return;
  }
}

static NOINLINE void again(int kind, int *place) {
  try {
    hop();
    throw_one(kind, place);
  } catch (Middle &m) {
    hop();
    m.n += 1000;
    printf("  again %s %d\n", m.name(), m.n);
    hop();
    throw;
  } catch (const char *text) {
    hop();
    std::string longer = std::string(text) + " that does not fit into the object itself";
    hop();
    throw longer;
  } catch (...) {
    hop();
    *place += 1;
    throw;
  }
}

static NOINLINE int work(int kind) {
  int place = 10;
  try {
    try {
      again(kind, &place);
      hop();
      return place;
    } catch (std::string text) {
      hop();
      printf("  %s\n", text.c_str());
      try {
        hop();
        throw_one(2, &place);
      } catch (const Base &inner) {
        hop();
        printf("  inner %s %d, outer still %s\n", inner.name(), inner.n, text.c_str());
      }
      hop();
      throw kind;
    } catch (Leaf leaf) {
      hop();
      Base &base = leaf;
      printf("  copied %s %d %d\n", base.name(), base.n, leaf.more[19]);
      throw;
    }
  } catch (const Base &base) {
    hop();
    return printf("  %s %d\n", base.name(), base.n) + place;
  } catch (int *p) {
    hop();
    return *p + (p == &place);
  } catch (const std::exception &e) {
    hop();
    printf("  %s\n", e.what());
    return place;
  } catch (int n) {
    hop();
    return n + place;
  } catch (...) {
    hop();
    return -place;
  }
}

struct Member {
  int *at;
  explicit Member(int *at) : at(at) {
    hop();
    if (*at == 13)
      throw at;
  }
  ~Member() {
    hop();
    printf("  ~Member %d\n", *at);
  }
};
struct Whole {
  Member a, b;
  Whole(int *first, int *second) try : a(first), b(second) { hop(); } catch (int *bad) {
    hop();
    printf("  member %d\n", *bad);
    hop();
  }
};

int main() {
  for (int kind = 0; kind < 8; kind++)
    printf("%d: %d\n", kind, work(kind));
  int good = 12, bad = 13;
  try {
    Whole fine(&good, &good);
    hop();
    Whole broken(&good, &bad);
  } catch (int *p) {
    hop();
    printf("main %d %d\n", *p, p == &bad);
  }
}
