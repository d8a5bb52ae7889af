// Skein's options reach the plugin, and clang never sees them.
// RUN: %plain-skeincc -### -c %s 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %plain-skeincc -### -c %s -fskein-stress=calls -fskein-poll=loops 2>&1 | FileCheck --check-prefix=BOTH %s
// RUN: %plain-skeincc -### -c %s -fskein-stress=calls -fskein-poll=loops -fno-skein-stress -fno-skein-poll 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: not %plain-skeincc -c %s -fskein-stress=everywhere 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: %plain-skeincc -c %s -Wskein-nonsense -o %t.o 2>&1 | FileCheck --check-prefix=UNKNOWN-WARNING %s
// RUN: %plain-skeincc --skein-help | FileCheck --check-prefix=HELP %s

// NONE-NOT: skein-stress
// NONE-NOT: skein-poll
// BOTH-NOT: fskein
// BOTH: "-mllvm" "-skein-stress=calls" "-mllvm" "-skein-poll=loops"
// UNKNOWN: skeincc: error: unknown option '-fskein-stress=everywhere'; see skeincc --skein-help
// UNKNOWN-WARNING: skeincc: warning: unknown warning option '-Wskein-nonsense'
// HELP: -fskein-stress=calls
// HELP: -fskein-poll=loops
// HELP: -Wskein-unproved
// HELP: -Wskein-local-address
int main(void) { return 0; }
