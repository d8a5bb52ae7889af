// Operators new and delete that skeincc defines in the unit have no debug information, although they were declared.
// RUN: %skein++ -O1 -g -fskein-heap=private %s -o %t && %t
// RUN: %skein++ -O0 -g -flto -fskein-heap=private %s -o %t && %t
#include <string>

int main() {
  int *one = new int(3);
  std::string *text = new std::string(100, 'x');
  bool right = *one == 3 && text->size() == 100;
  delete text;
  delete one;
  return !right;
}
