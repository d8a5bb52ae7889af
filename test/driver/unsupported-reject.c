// Options that would break the invariant without anybody noticing are refused, with the reason.
// RUN: not %plain-skeincc -flto=thin -fuse-ld=bfd %s -o %t 2>&1 | FileCheck --check-prefix=LTO %s
// RUN: %plain-skeincc -flto -fno-lto -fuse-ld=bfd -c %s -o %t.o
// RUN: not %plain-skeincc -fsanitize=undefined,address -c %s 2>&1 | FileCheck --check-prefix=SANITIZER %s
// RUN: %plain-skeincc -fsanitize=undefined -c %s -o %t.o
// RUN: %plain-skeincc -fsanitize=address -fno-sanitize=address -c %s -o %t.o
// RUN: not %plain-skeincc -fsplit-stack -c %s 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: not %plain-skeincc -m32 -c %s 2>&1 | FileCheck --check-prefix=WIDTH %s
// RUN: not %plain-skeincc --target=aarch64-linux-gnu -c %s 2>&1 | FileCheck --check-prefix=TARGET %s
// RUN: %plain-skeincc --target=x86_64-linux-gnu -c %s -o %t.o

// LTO: error: '-flto=thin' needs lld
// SANITIZER: error: '-fsanitize=address' is not supported
// SPLIT: error: '-fsplit-stack' is not supported
// WIDTH: error: '-m32' is not supported
// TARGET: error: target 'aarch64-linux-gnu' is not supported
int main(void) { return 0; }
