// setjmp in C++, over frames without destructors.
#include "hop.h"
#include <csetjmp>

namespace {

struct Error {
  std::jmp_buf buffer;
  Error *outer;
  const char *text;
};

struct Parser {
  Error *handlers = nullptr;
  const char *at;

  explicit Parser(const char *text) : at(text) {}

  [[noreturn]] NOINLINE void fail(const char *why) {
    hop();
    handlers->text = why;
    std::longjmp(handlers->buffer, 2);
  }
  NOINLINE int number() {
    hop();
    if (*at < '0' || *at > '9')
      fail("digit");
    int n = 0;
    while (*at >= '0' && *at <= '9')
      n = n * 10 + *at++ - '0';
    return n;
  }
  NOINLINE int factor() {
    if (*at != '(')
      return number();
    ++at;
    int n = sum();
    if (*at != ')')
      fail("bracket");
    ++at;
    return n;
  }
  NOINLINE int sum() {
    int n = factor();
    while (*at == '+') {
      ++at;
      n += factor();
    }
    return n;
  }
  NOINLINE int guarded() {
    Error here;
    here.outer = handlers;
    handlers = &here;
    int result;
    if (setjmp(here.buffer) == 0)
      result = sum();
    else
      result = -here.text[0];
    hop();
    handlers = here.outer;
    return result;
  }
};

} // namespace

int main() {
  const char *const texts[] = {"1+2", "(1+(2+3))+4", "1+", "((7)", "(((((((x)))))))"};
  for (const char *text : texts) {
    Parser parser(text);
    printf("%d %s\n", parser.guarded(), parser.at);
  }
}
