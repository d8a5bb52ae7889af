// A knob that is not understood ends the program before main, with status 2 and a message that says what would be.
// RUN: %skeincc -O1 %s -o %t
// RUN: env SKEIN_OPTIONS=wrokers=2 %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=KEY %s
// RUN: env SKEIN_OPTIONS=stacks=both %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=VALUE %s
// RUN: env SKEIN_OPTIONS=stack=4K %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=RANGE %s
// RUN: env SKEIN_OPTIONS=stack=128K,workers=1 %t | FileCheck --check-prefix=RUNS %s

// KEY-NOT: ran
// KEY: skein: SKEIN_OPTIONS: there is no knob "wrokers" (`skein knobs` lists them)
// VALUE-NOT: ran
// VALUE: skein: SKEIN_OPTIONS: stacks=both is not understood; stacks takes relocate|reserve
// RANGE: skein: SKEIN_OPTIONS: stack=4096: a stack has from 16384 bytes
// RUNS: ran
#include <stdio.h>

int main(void) {
  puts("ran");
  return 0;
}
