/* Node 0 reads the launcher's input on another host, too: a file, a pipe, nothing; more than any pipe holds. What it does not
 * read keeps nobody waiting. */

// DEFINE: %{hosts} = --ssh %S/Inputs/ssh_here.sh --network 127.0.0.0/8 --hosts one:1,localhost:1
// RUN: %skeincc -O2 %s -o %t
// RUN: %python -c "print('\n'.join(map(str, range(400000))))" > %t.numbers
// RUN: %skein run %{hosts} %t < %t.numbers | FileCheck %s
// RUN: cat %t.numbers | %skein run %{hosts} %t | FileCheck %s
// RUN: %skein run %{hosts} %t < /dev/null | FileCheck %s --check-prefix=NOTHING
// RUN: %skein run %{hosts} %t 1000 < %t.numbers | FileCheck %s --check-prefix=SOME

// CHECK: 400000 numbers, sum 79999800000
// NOTHING: 0 numbers, sum 0
// SOME: 1000 numbers, sum 499500

#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  const long most = count > 1 ? atol(arguments[1]) : 1000000;
  long numbers = 0, sum = 0;
  for (long number; numbers < most && scanf("%ld", &number) == 1; numbers++)
    sum += number;
  printf("%ld numbers, sum %ld\n", numbers, sum);
  return skein_node();
}
