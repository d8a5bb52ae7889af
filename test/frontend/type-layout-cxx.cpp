// This shows where the words of C++ types are.
//
// RUN: %plain-skeincc -std=c++20 -fsyntax-only -mllvm -skein-print-layouts %s | FileCheck %s

// CHECK: Base: 16 bytes, pointers at 0{{$}}
struct Base {
  virtual ~Base();
  long i;
};

// CHECK-NEXT: Derived: 32 bytes, pointers at 0 to 16 by 16, 24{{$}}
struct Derived : Base {
  char *p;
  int &reference;
  Derived();
};

// CHECK-NEXT: Virtual: 32 bytes, pointers at 0 to 16 by 8{{$}}
struct Virtual : virtual Base {
  char *p;
};

// CHECK-NEXT: Members: 32 bytes, pointers at 16{{$}}
struct Members {
  int Base::*data = nullptr;
  long between;
  void (Base::*function)() = nullptr;
};

template <typename T>
struct Box {
  long before;
  T content;
};

// CHECK-NEXT: Box<char *>: 16 bytes, pointers at 8{{$}}
// CHECK-NEXT: Box<long>: 16 bytes{{$}}
// CHECK-NEXT: Boxes: 32 bytes, pointers at 8{{$}}
struct Boxes {
  Box<char *> a;
  Box<long> b;
};
