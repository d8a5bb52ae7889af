// A knob that is not understood ends the program before main, with status 2 and a message that says what is possible.
// RUN: %skeincc -O1 %s -o %t
// RUN: env SKEIN_OPTIONS=wrokers=2 %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=KEY %s
// RUN: env SKEIN_OPTIONS=stacks=both %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=VALUE %s
// RUN: env SKEIN_OPTIONS=stack=4K %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=RANGE %s
// RUN: env SKEIN_OPTIONS=workers=100000 %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=WORKERS %s
// RUN: env SKEIN_OPTIONS=message_credits=0 %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=CREDITS %s
// RUN: env SKEIN_OPTIONS=stack_max=1 %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=LARGEST %s
// RUN: env SKEIN_OPTIONS=stack_max=32K %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=SMALLER %s
// RUN: env SKEIN_OPTIONS=grow_first=1 %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=FIRST %s
// RUN: env SKEIN_OPTIONS=report=/nonexistent/x %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t']) != 2)" 2>&1 | FileCheck --check-prefix=REPORT %s
// `skein run` says it once, and starts no node.
// RUN: env SKEIN_OPTIONS=workers=100000 %python -c "import subprocess, sys; sys.exit(subprocess.call(['%skein', 'run', '-n', '3', '%t']) != 2)" 2>&1 | FileCheck --check-prefix=ONCE %s
// RUN: env SKEIN_OPTIONS=stack=128K,stack_max=128K,grow_first=0,workers=1 %t | FileCheck --check-prefix=RUNS %s

// KEY-NOT: ran
// KEY: skein: SKEIN_OPTIONS: there is no knob "wrokers" (`skein knobs` lists them)
// VALUE-NOT: ran
// VALUE: skein: SKEIN_OPTIONS: stacks=both is not possible; stacks takes auto|relocate|reserve
// RANGE: skein: SKEIN_OPTIONS: stack=4K is not possible; stack takes a size from 16K to 1G
// WORKERS-NOT: ran
// WORKERS: skein: SKEIN_OPTIONS: workers=100000 is not possible; workers takes a number from 0 to 1024
// CREDITS-NOT: ran
// CREDITS: skein: SKEIN_OPTIONS: message_credits=0 is not possible; message_credits takes a number from 1 to 1000000
// LARGEST-NOT: ran
// LARGEST: skein: SKEIN_OPTIONS: stack_max=1 is not possible; stack_max takes 0, or a size from 16K to 1G
// SMALLER-NOT: ran
// SMALLER: skein: SKEIN_OPTIONS: stack_max=32768 is not possible; the largest stack has at least stack=65536
// FIRST-NOT: ran
// FIRST: skein: SKEIN_OPTIONS: grow_first=1 is not possible; grow_first takes 0, or a size from 1K to 1G
// REPORT-NOT: ran
// REPORT: skein: SKEIN_OPTIONS: report=/nonexistent/x cannot be written: No such file or directory
// ONCE: workers=100000 is not possible
// ONCE-NOT: workers=100000
// RUNS: ran
#include <stdio.h>

int main(void) {
  puts("ran");
  return 0;
}
