/* A scanner and recursive-descent parser whose whole state is global, as old programs have it. */
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
static const char *input, *at;
static int token, line, depth, deepest;
static long value, results[64];
static unsigned count[128];
static char word[32];
__attribute__((noinline)) static void advance(void) {
  while (*at == ' ' || *at == '\n')
    line += *at++ == '\n';
  token = (unsigned char)*at;
  count[token & 127]++;
  if (token >= '0' && token <= '9') {
    for (value = 0; *at >= '0' && *at <= '9'; at++)
      value = 10 * value + *at - '0';
    token = '0';
  } else if (token >= 'a' && token <= 'z') {
    unsigned n = 0;
    for (; *at >= 'a' && *at <= 'z'; at++)
      if (n < sizeof word - 1)
        word[n++] = *at;
    word[n] = 0;
    token = 'a';
  } else if (token) {
    at++;
  }
}
static long sum(void);
__attribute__((noinline)) static long factor(void) {
  long result = 0;
  if (token == '0') {
    result = value;
    advance();
  } else if (token == 'a') {
    result = results[(unsigned char)word[0] & 63];
    advance();
  } else if (token == '(') {
    if (++depth > deepest)
      deepest = depth;
    advance();
    result = sum();
    depth--;
    advance();
  }
  return result;
}
__attribute__((noinline)) static long product(void) {
  long result = factor();
  while (token == '*') {
    advance();
    result = result * factor() & 0xffffff;
  }
  return result;
}
__attribute__((noinline)) static long sum(void) {
  long result = product();
  while (token == '+') {
    advance();
    result += product();
  }
  return result;
}
int main(void) {
  static const char text[] =
      "alpha + 12 * (beta + 3 * (gamma + 4)) + delta * 77\n + (1 + (2 + (3 + alpha * beta)))\n * 5";
  unsigned long check = 0;
  for (int i = 0; i < ROUNDS(600000); i++) {
    input = at = text;
    advance();
    long result = sum();
    results[i & 63] = result;
    check = check * 31 + (unsigned long)result;
  }
  printf("%lu %d %d %u %ld\n", check, line, deepest, count['+'], (long)(at - input));
  return 0;
}
