// Objects with virtual functions are made in an array of numbers: their first word is an address of the program.
#include "words.h"
#include <new>

struct Shape {
  virtual long area() const = 0;
  virtual ~Shape() = default;
};
struct Square : Shape {
  long side;
  explicit Square(long s) : side(s) {}
  long area() const override {
    hop();
    return side * side;
  }
};
struct Scaled : Shape {
  Shape *of;
  explicit Scaled(Shape *s) : of(s) {}
  long area() const override {
    hop();
    return 10 * of->area();
  }
};

static NOINLINE long use() {
  long room[8], more[8];
  Shape *s = new (room) Square(3);
  Shape *t = new (more) Scaled(s);
  hop();
  long result = t->area();
  hop();
  t->~Shape();
  s->~Shape();
  return result;
}

int main() { printf("%ld\n", use()); }
