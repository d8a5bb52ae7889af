/* A recursive-descent parser that evaluates as it goes, the cursor passed by address, operators found in a table of
 * functions. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
typedef long (*operation)(long, long);
__attribute__((noinline)) static long add(long a, long b) { return a + b; }
__attribute__((noinline)) static long subtract(long a, long b) { return a - b; }
__attribute__((noinline)) static long multiply(long a, long b) { return (a * b) % 1000003; }
__attribute__((noinline)) static long divide(long a, long b) { return b ? a / b : 0; }
static const operation operations[128] = {['+'] = add, ['-'] = subtract, ['*'] = multiply, ['/'] = divide};
struct variables {
  long value[26];
};
__attribute__((noinline)) static void skip(const char **cursor) {
  while (**cursor == ' ')
    ++*cursor;
}
static long sum(const char **cursor, const struct variables *variables);
static long factor(const char **cursor, const struct variables *variables) {
  skip(cursor);
  char c = *(*cursor)++;
  if (c == '(') {
    long value = sum(cursor, variables);
    skip(cursor);
    ++*cursor;
    return value;
  }
  if (c == '-')
    return -factor(cursor, variables);
  if (c >= 'a' && c <= 'z')
    return variables->value[c - 'a'];
  long value = c - '0';
  while (**cursor >= '0' && **cursor <= '9')
    value = 10 * value + (*(*cursor)++ - '0');
  return value;
}
static long product(const char **cursor, const struct variables *variables) {
  long value = factor(cursor, variables);
  for (skip(cursor); **cursor == '*' || **cursor == '/'; skip(cursor)) {
    char op = *(*cursor)++;
    value = operations[(int)op](value, factor(cursor, variables));
  }
  return value;
}
static long sum(const char **cursor, const struct variables *variables) {
  long value = product(cursor, variables);
  for (skip(cursor); **cursor == '+' || **cursor == '-'; skip(cursor)) {
    char op = *(*cursor)++;
    value = operations[(int)op](value, product(cursor, variables));
  }
  return value;
}
int main(void) {
  static const char text[] = "(a + 3*b - (c*c / 7 + 12)*(d - e)) * (x+y*(z - 4)) - -(17 + a*b*c*(d+1)) / (e + 1) + q";
  struct variables variables = {{0}};
  long total = 0;
  for (long i = 0; i < ROUNDS(1300000); i++) {
    for (int v = 0; v < 26; v++)
      variables.value[v] = (i * (v + 1)) % 101;
    const char *cursor = text;
    total += sum(&cursor, &variables);
  }
  printf("%ld\n", total);
  return 0;
}
