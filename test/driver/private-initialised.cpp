// Variables that code initialises before main belong to main. If another thread uses its own copy, it is stopped with
// the variable's name, also after it has moved. Other variables, and those that the first user initialises, are each
// thread's own.
// RUN: %skein++ -O2 -Wno-skein-global -fskein-globals=private -fskein-heap=private %s -o %t
// RUN: %t | FileCheck %s
// RUN: %skein run -n 2 %t | FileCheck %s
// RUN: not --crash %t text 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not %skein run -n 2 %t text 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not --crash %t all 2>&1 | FileCheck %s --check-prefix=ALL
#include <cstdio>
#include <skein/skein.h>
#include <string>
#include <vector>

static int plain = 7;
static std::string text = "a string that is long enough for the heap";
template <class T>
struct shared {
  static std::vector<T> all;
};
template <class T>
std::vector<T> shared<T>::all(3, T(1));

// CHECK: main: 41 3
// CHECK-NEXT: 8 mine static
// CHECK-NEXT: 8 mine static
// TEXT: variable `{{.*}}text{{.*}}` is initialised by code that runs before main, in main's copy; thread {{[23]}} uses its own in
// ALL: variable `_ZN6sharedIiE3allE` is initialised by code that runs before main, in main's copy; thread {{[23]}} uses its own in
static void thread(int wanted) {
  plain++;
  skein_push_self((skein_node() + 1) % skein_nodes());
  thread_local std::string mine = "mine";
  static std::string ours = "static"; // destroyed with the thread
  if (wanted == 't')
    std::printf("%s\n", text.c_str());
  else if (wanted == 'a')
    std::printf("%zu\n", shared<int>::all.size());
  else
    std::printf("%d %s %s\n", plain, mine.c_str(), ours.c_str());
}

int main(int count, char **arguments) {
  std::printf("main: %zu %zu\n", text.size(), shared<int>::all.size());
  std::fflush(stdout);
  for (int i = 0; i < 2; i++)
    skein_join(skein_spawn(thread, count > 1 ? *arguments[1] : 0));
}
