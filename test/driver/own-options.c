// Skein's options reach the plugin, and clang never sees them.
// RUN: %plain-skeincc -### -c %s 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %plain-skeincc -### -c %s -fskein-stress=calls -fskein-polls=loops 2>&1 | FileCheck --check-prefix=BOTH %s
// RUN: %plain-skeincc -### -c %s -fskein-stress=calls -fskein-polls=loops -fno-skein-stress -fno-skein-polls 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %plain-skeincc -### -c %s -fskein-stacks=growable -fskein-stacks=common 2>&1 | FileCheck --check-prefix=COMMON %s
// RUN: not %plain-skeincc -c %s -fskein-stress=everywhere 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: %plain-skeincc -c %s -Wskein-nonsense -o %t.o 2>&1 | FileCheck --check-prefix=UNKNOWN-WARNING %s
// RUN: %plain-skeincc -c %s -Wno-skein-unprovd -o %t.o 2>&1 | FileCheck --check-prefix=MISSPELT %s
// RUN: %plain-skeincc --skein-help | FileCheck --check-prefix=HELP %s

// NONE-NOT: skein-stress
// NONE-NOT: skein-polls
// COMMON-NOT: growable
// COMMON: "-mllvm" "-skein-stacks=common"
// BOTH-NOT: fskein
// BOTH: "-mllvm" "-skein-stress=calls" "-mllvm" "-skein-polls=loops"
// UNKNOWN: skeincc: error: unknown option '-fskein-stress=everywhere'; see skeincc --skein-help
// UNKNOWN-WARNING: skeincc: warning: unknown warning option '-Wskein-nonsense'
// MISSPELT: skeincc: warning: unknown warning option '-Wno-skein-unprovd'; did you mean '-Wno-skein-unproved'?
// HELP: -fskein-stress=calls
// HELP: -fskein-polls=loops
// HELP: -fskein-moves=same
// HELP: -fskein-stacks=common
// HELP: -Wskein-unproved
// HELP: -Wskein-local-address
int main(void) { return 0; }
