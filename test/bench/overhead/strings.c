/* String building: words are reversed, joined and searched through small functions on pointers into two buffers. */
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct buffer {
  char *at, *end;
};
__attribute__((noinline)) static int append(struct buffer *b, const char *text, int n) {
  if (b->end - b->at < n)
    return 0;
  while (n--)
    *b->at++ = *text++;
  return 1;
}
__attribute__((noinline)) static void reverse(char *first, char *last) {
  while (first < last) {
    char c = *first;
    *first++ = *--last;
    *last = c;
  }
}
__attribute__((noinline)) static const char *word(const char *text, const char **end) {
  while (*text == ' ')
    text++;
  const char *stop = text;
  while (*stop && *stop != ' ')
    stop++;
  *end = stop;
  return text;
}
__attribute__((noinline)) static int contains(const char *text, const char *part) {
  int n = 0;
  for (; *text; text++) {
    const char *a = text, *b = part;
    while (*b && *a == *b)
      a++, b++;
    n += !*b;
  }
  return n;
}
static void turn_words(const char *text, struct buffer *out) {
  const char *end;
  for (const char *w = word(text, &end); w != end; w = word(end, &end)) {
    char *start = out->at;
    if (!append(out, w, (int)(end - w)))
      return;
    reverse(start, out->at);
    append(out, " ", 1);
  }
  append(out, "", 1);
}
int main(void) {
  static const char text[] =
      "a running thread can be copied to another stack another process or another machine and go on";
  long total = 0;
  for (int i = 0; i < ROUNDS(1000000); i++) {
    char turned[128], back[128];
    struct buffer a = {turned, turned + sizeof turned}, b = {back, back + sizeof back};
    turn_words(text + i % 9, &a);
    turn_words(turned, &b);
    total += contains(back, "another") + contains(turned, "re") + (a.at - turned);
  }
  printf("%ld\n", total);
  return 0;
}
