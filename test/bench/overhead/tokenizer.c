/* Splits text into words, numbers and punctuation and counts them: a cursor, call-backs, small string functions. */
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct token {
  const char *start;
  int length, kind;
};
enum { WORD, NUMBER, PUNCTUATION, KINDS };
struct scanner {
  const char *at, *end;
  void (*sink)(void *, const struct token *);
  void *context;
};
static const char *scan_while(struct scanner *s, int (*accept)(int)) {
  while (s->at < s->end && accept((unsigned char)*s->at))
    s->at++;
  return s->at;
}
__attribute__((noinline)) static int is_letter(int c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
__attribute__((noinline)) static int is_digit(int c) { return c >= '0' && c <= '9'; }
__attribute__((noinline)) static int is_blank(int c) { return c == ' ' || c == '\n'; }
__attribute__((noinline)) static int next(struct scanner *s, struct token *token) {
  scan_while(s, is_blank);
  if (s->at == s->end)
    return 0;
  token->start = s->at;
  if (is_letter((unsigned char)*s->at)) {
    token->kind = WORD;
    scan_while(s, is_letter);
  } else if (is_digit((unsigned char)*s->at)) {
    token->kind = NUMBER;
    scan_while(s, is_digit);
  } else {
    token->kind = PUNCTUATION;
    s->at++;
  }
  token->length = (int)(s->at - token->start);
  s->sink(s->context, token);
  return 1;
}
struct counts {
  long of[KINDS], letters, largest;
};
__attribute__((noinline)) static void count(void *context, const struct token *token) {
  struct counts *counts = context;
  counts->of[token->kind]++;
  counts->letters += token->length;
  if (token->kind == NUMBER) {
    long value = 0;
    for (int i = 0; i < token->length; i++)
      value = 10 * value + token->start[i] - '0';
    if (value > counts->largest)
      counts->largest = value;
  }
}
int main(void) {
  static const char text[] = "In 1887, the weavers of 3 towns made 12500 skeins (a skein: a length of yarn); 42 geese\n"
                             "flew over, in a skein too - or a wedge? They count as 1 flock, 2 lines, and 0 threads.\n";
  struct counts counts = {{0}, 0, 0};
  for (int i = 0; i < ROUNDS(800000); i++) {
    struct scanner s = {text, text + strlen(text), count, &counts};
    struct token token;
    while (next(&s, &token))
      ;
  }
  printf("%ld %ld %ld %ld %ld\n", counts.of[WORD], counts.of[NUMBER], counts.of[PUNCTUATION], counts.letters,
         counts.largest);
  return 0;
}
