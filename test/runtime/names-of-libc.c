// The runtime finds libc's functions in the libraries' own tables. It finds those that the loader would find by dlsym,
// also where a library that is preloaded, or that comes before libc, defines some of them.
//
// UNSUPPORTED: sanitized
//
// RUN: %clang -O1 -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %skeincc -O1 %s -o %t && %t none | FileCheck %s
// RUN: env LD_PRELOAD=%t.so %t one | FileCheck %s
// RUN: %skeincc -O1 %s %t.so -o %t.linked && %t.linked one | FileCheck %s
// RUN: %skeincc -O1 %s -lm -lz -lstdc++ -o %t.more && %t.more none | FileCheck %s

// CHECK: all are the loader's
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBRARY
int mlock2(const void *from, size_t bytes, unsigned flags) { return 0; }
char *getenv(const char *name) {
  extern char **environ;
  for (char **at = environ; *at; ++at) {
    size_t length = strlen(name);
    if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
      return *at + length + 1;
  }
  return NULL;
}
#else
// Of runtime/libc/next.cpp.
extern uintptr_t skein_libc_slots[];
extern const char skein_libc_names[];
void skein_libc_bind(uintptr_t *slot);

int main(int argc, char **argv) {
  int wrong = 0, count = 0, elsewhere = 0;
  const char *name = skein_libc_names;
  for (uintptr_t *slot = skein_libc_slots; *name; ++slot, name += strlen(name) + 1) {
    void *function = dlsym(RTLD_NEXT, name);
    Dl_info found;
    elsewhere += dladdr(function, &found) && strstr(found.dli_fname, ".so") && !strstr(found.dli_fname, "libc.so") &&
                 !strstr(found.dli_fname, "ld-linux");
    ++count;
    skein_libc_bind(slot); // as the first call does
    if ((uintptr_t)function == *slot)
      continue;
    printf("%s is at %#lx, and the loader says %p\n", name, *slot, function);
    wrong = 1;
  }
  if (count < 50 || (elsewhere > 0) != (strcmp(argv[1], "one") == 0))
    printf("%d names, %d of them not libc's\n", count, elsewhere);
  else if (!wrong)
    puts("all are the loader's");
  return wrong;
}
#endif
