// In SKEIN_PINNED a thread stays where it is, and the refusal names the place; afterwards it moves, however the region
// was left.
// RUN: %skeincc -O2 %s -o %t && %run -n 2 %t | FileCheck %s
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

static int leaves_by_return(void) {
  SKEIN_PINNED { return skein_push_self(1 - skein_node()); }
  return -1;
}

static void leaves_by_goto(void) {
  SKEIN_PINNED {
    SKEIN_PINNED { goto out; }
  }
out:;
}

static int leaves_by_break(void) {
  int code = 0;
  for (int i = 0; i < 3; i++)
    SKEIN_PINNED {
      code = skein_push_self(1 - skein_node());
      break;
    }
  return code;
}

int main(void) {
  // CHECK: refused: SKEIN_EPINNED, {{.*}}SKEIN_PINNED region that begins at {{.*}}pinned-region.c:[[OUTER:[0-9]+]]
  SKEIN_PINNED {
    int code = skein_push_self(1);
    printf("refused: %s, %s\n", skein_error_name(code), skein_error_text());
    // CHECK: within: SKEIN_EPINNED, {{.*}}pinned-region.c:[[#@LINE+1]]
    SKEIN_PINNED {
      code = skein_push_self(1);
      printf("within: %s, %s\n", skein_error_name(code), skein_error_text());
    }
    // CHECK: around: SKEIN_EPINNED, {{.*}}pinned-region.c:[[OUTER]]
    code = skein_push_self(1);
    printf("around: %s, %s\n", skein_error_name(code), skein_error_text());
  }
  // CHECK: after: 0, node 1
  int code = skein_push_self(1);
  printf("after: %d, node %d\n", code, skein_node());
  // CHECK: return: SKEIN_EPINNED
  printf("return: %s\n", skein_error_name(leaves_by_return()));
  leaves_by_goto();
  // CHECK: break: SKEIN_EPINNED
  printf("break: %s\n", skein_error_name(leaves_by_break()));
  // CHECK: at last: 0, node 0
  code = skein_push_self(0);
  printf("at last: %d, node %d\n", code, skein_node());
  return 0;
}
