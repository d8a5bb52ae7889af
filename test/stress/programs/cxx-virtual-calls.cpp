// Objects with virtual functions in the frame (their vtable pointers are image addresses), multiple and virtual bases.
#include "hop.h"

struct Shape {
  int n;
  explicit Shape(int n) : n(n) {}
  virtual int area() const {
    hop();
    return n;
  }
  virtual ~Shape() = default;
};
struct Named {
  const char *name = "named";
  virtual const char *get() const {
    hop();
    return name;
  }
  virtual ~Named() = default;
};
struct Square : Shape, virtual Named {
  const int *side;
  explicit Square(const int *s) : Shape(1), side(s) {}
  int area() const override {
    hop();
    return *side * *side + Shape::area();
  }
};
struct Cube : Square {
  using Square::Square;
  const char *get() const override {
    hop();
    return *side > 3 ? "large" : Named::get();
  }
  int area() const override { return 6 * Square::area(); }
};

static NOINLINE int total(Shape *const *shapes, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    sum = sum * 3 + shapes[i]->area();
    if (Named *named = dynamic_cast<Named *>(shapes[i])) {
      hop();
      sum += named->get()[0];
    }
  }
  return sum;
}

int main() {
  int a = 3, b = 5;
  Shape plain(7);
  Square square(&a);
  Cube cube(&b), other(&a);
  Shape *shapes[] = {&plain, &square, &cube, &other, &square};
  printf("%d\n", total(shapes, 5));
  a = 4;
  printf("%d\n", total(shapes, 5));
}
