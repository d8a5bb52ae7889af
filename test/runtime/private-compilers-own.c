// Some things that clang itself declares or calls are not the program's: the processor's model of
// __builtin_cpu_supports and target_clones, whose resolvers run before there is a runtime. In naked functions there is
// nothing to home.
// RUN: %skeincc -fskein-globals=private -O0 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -O2 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O1 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-stacks=growable -fskein-polls=loops -O2 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -flto -O2 %s -o %t && %t | FileCheck %s
// CHECK: sum 10, counted 2, naked 42
// RUN: not %plain-skeincc -fskein-globals=private -O1 -DUSES -c %s -o %t.o 2>&1 | FileCheck --check-prefix=USES %s
// USES: private-compilers-own.c:[[@LINE+14]]:{{.*}}error: naked function 'uses' cannot use the private variable 'counter'
#include <stdio.h>

int counter;

__attribute__((target_clones("avx2", "default"))) int sum(const int *numbers, int count) {
  int result = 0;
  for (int i = 0; i < count; i++)
    result += numbers[i];
  return result;
}

__attribute__((naked)) int naked(void) { __asm__("movl $42, %eax; ret"); }
#ifdef USES
__attribute__((naked)) int uses(void) { __asm__("leaq %0, %%rax; ret" : : "m"(counter)); }
#endif

int main(void) {
  int numbers[] = {1, 2, 3, 4};
  counter += !!__builtin_cpu_supports("sse2");
  counter += !!__builtin_cpu_supports("mmx");
  printf("sum %d, counted %d, naked %d\n", sum(numbers, 4), counter, naked());
}
