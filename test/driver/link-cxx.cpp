// C++ programs link with skein++ and with skeincc.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain-skein++ -O2 -Wall -Werror %s -o with && ./with | FileCheck %s
// RUN: %plain-skeincc -O2 -Wall -Werror %s -o without && ./without | FileCheck %s
// RUN: %plain-skein++ -O1 -c %s -o object.o && %plain-skein++ -Werror object.o -o object && ./object | FileCheck %s
// RUN: cp %s plain.txt && %plain-skeincc -Wall -Werror -x c++ plain.txt -o language && ./language | FileCheck %s

// CHECK: seven 7
#include <iostream>
#include <skein/skein.h>
#include <string>
#include <vector>

static void fill(std::vector<std::string> &to) {
  skein_yield();
  to.push_back("seven");
}

int main() {
  std::vector<std::string> words;
  fill(words);
  std::cout << words.front() << ' ' << words.front().size() + 2 << '\n';
}
