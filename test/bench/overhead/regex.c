/* The small regular-expression matcher of "The Practice of Programming", recursive on two string pointers, and
 * extended to return where the match ends through a pointer. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
static int match_here(const char *pattern, const char *text, const char **end);
static int match_star(int c, const char *pattern, const char *text, const char **end) {
  do {
    if (match_here(pattern, text, end))
      return 1;
  } while (*text && (*text++ == c || c == '.'));
  return 0;
}
static int match_here(const char *pattern, const char *text, const char **end) {
  if (!pattern[0]) {
    *end = text;
    return 1;
  }
  if (pattern[1] == '*')
    return match_star(pattern[0], pattern + 2, text, end);
  if (pattern[0] == '$' && !pattern[1]) {
    *end = text;
    return !*text;
  }
  if (*text && (pattern[0] == '.' || pattern[0] == *text))
    return match_here(pattern + 1, text + 1, end);
  return 0;
}
__attribute__((noinline)) static int match(const char *pattern, const char *text, const char **start,
                                           const char **end) {
  do {
    *start = text;
    if (match_here(pattern, text, end))
      return 1;
  } while (*text++);
  return 0;
}
int main(void) {
  static const char *const patterns[] = {"a*b*c*d", "th.*d.*s", "x*y$", "w.*w.*w", "goose", ".*e.*e.*e.*z"};
  static const char *const texts[] = {"the thread that moves leaves no address behind", "aaabbbcccd and more",
                                      "a skein of geese", "windward, westward, wherever they wander",
                                      "no match in here at all, or nearly none"};
  long total = 0;
  for (int i = 0; i < ROUNDS(11000); i++)
    for (int p = 0; p < 6; p++)
      for (int t = 0; t < 5; t++) {
        const char *start, *end;
        if (match(patterns[p], texts[t] + i % 3, &start, &end))
          total += (end - start) + i % 7;
      }
  printf("%ld\n", total);
  return 0;
}
