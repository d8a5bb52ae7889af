// The address that a copy goes to tells the type of what lies there, where the program does.
// RUN: %skeincc -O0 -w -S -emit-llvm -Xclang -disable-llvm-passes %s -o - | FileCheck %s
#include <stdint.h>
#include <string.h>

struct message {
  uint64_t word;
};

// CHECK-LABEL: define {{.*}}@numbers(
// CHECK: %[[TO:.*]] = getelementptr inbounds i64, ptr %{{.*}}, i64 0
// CHECK: call void @llvm.memcpy{{.*}}(ptr align 8 %[[TO]],
// CHECK: %[[DOUBLE:.*]] = getelementptr inbounds double, ptr %{{.*}}, i64 0
// CHECK: call void @llvm.memmove{{.*}}(ptr align 1 %[[DOUBLE]],
// CHECK: getelementptr inbounds %struct.message, ptr %{{.*}}, i64 0
// CHECK: getelementptr inbounds i32, ptr %{{.*}}, i64 0
void numbers(uint64_t *to, double *other, struct message *m, unsigned *halves, int *p) {
  memcpy(to, &p, sizeof p);
  memmove((void *)other, &p, sizeof p);
  memcpy(m, &p, sizeof p);
  memcpy(halves, &p, sizeof p);
}

typedef uint64_t __attribute__((may_alias)) anything;
// Nothing is added to addresses that tell their type already, to those of characters or of unknown things, or to those
// of types that may alias anything.
// CHECK-LABEL: define {{.*}}@others(
// CHECK-NOT: i64 0{{$}}
// CHECK: ret void
void others(struct message *m, char *text, void *any, anything *aliased, volatile uint64_t *hot, int *p) {
  memcpy(&m->word, &p, sizeof p);
  memcpy(text, &p, sizeof p);
  memcpy(any, &p, sizeof p);
  memcpy(aliased, &p, sizeof p);
  memcpy((void *)hot, &p, sizeof p);
}
