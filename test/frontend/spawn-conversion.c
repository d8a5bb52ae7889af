// The arguments of skein_spawn become what a direct call would pass: here seen in IR before the passes lower the call.
// RUN: %plain-skeincc -O0 -Wall -Wextra -Werror -S -emit-llvm -Xclang -disable-llvm-passes %s -o - | FileCheck %s
#include <skein/skein.h>
#include <stdbool.h>

enum colour { RED,
              GREEN };

void numbers(double d, float f, long l, short s);
void small(unsigned char c, bool b, enum colour e, char k);
void pointers(const char *p, void (*f)(void), int *a);
void none(void);
void many(int a, long b, char *c, int d, int e, int f, double g, float h, double i, double j, float k, double l, double m,
          float n);
long returns(int a);

void direct(int i, float f) {
  // CHECK-LABEL: define {{.*}}@direct(

  // int to double, float kept as float, int to long, and a short cut to 16 bits and extended by its sign
  // CHECK: sitofp i32 %{{.*}} to double
  // CHECK: sext i32 %{{.*}} to i64
  // CHECK: trunc i32 %{{.*}} to i16
  // CHECK: sext i16 %{{.*}} to i32
  // CHECK: @skein_spawn_(ptr noundef @numbers, i32 noundef 0, double noundef %{{.*}}, float noundef %{{.*}}, i64 noundef %{{.*}}, i32 noundef %{{.*}})
  skein_spawn(numbers, i, f, i, (short)i);

  // a double literal for a float, an int for an unsigned char (zero-extended) and for a bool
  // CHECK: @skein_spawn_(ptr noundef @numbers, i32 noundef 0, double noundef 1.000000e+00, float noundef 2.500000e+00, i64 noundef 3, i32 noundef 4)
  skein_spawn(numbers, 1, 2.5, 3, 4);
  // CHECK: trunc i32 %{{.*}} to i8
  // CHECK: zext i8 %{{.*}} to i32
  // CHECK: icmp ne i32
  // CHECK: zext i1 %{{.*}} to i32
  // CHECK: @skein_spawn_(ptr noundef @small, i32 noundef 0, i32 {{.*}}, i32 {{.*}}, i32 {{.*}}, i32 {{.*}})
  skein_spawn(small, (unsigned char)i, i, GREEN, 'k');

  // null pointer constants of every kind
  // CHECK: @skein_spawn_(ptr noundef @pointers, i32 noundef 0, ptr noundef {{.*}}, ptr noundef @none, ptr noundef null)
  skein_spawn(pointers, "text", none, 0);
  // CHECK: @skein_spawn_(ptr noundef @pointers, i32 noundef 0, ptr noundef null, ptr noundef null, ptr noundef null)
  skein_spawn(pointers, NULL, (void *)0, 0);

  // the function in other spellings
  // CHECK: @skein_spawn_(ptr noundef @none, i32 noundef 0)
  skein_spawn(&none);
  // CHECK: @skein_spawn_(ptr noundef @returns, i32 noundef 10, i32 noundef 1)
  skein_spawn((*returns), 1);
  // CHECK: [[CALLEE:%.*]] = load ptr
  // CHECK: @skein_spawn_(ptr noundef [[CALLEE]], i32 noundef 0, double noundef 1.000000e+00, float
  void (*variable)(double, float, long, short) = numbers;
  skein_spawn(variable, 1, 2, 3, 4);

  // six integers and eight floating-point values
  // CHECK: @skein_spawn_(ptr noundef @many, i32 noundef 0, i32 {{.*}}float noundef 1.400000e+01)
  skein_spawn(many, 1, 2, NULL, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
}
