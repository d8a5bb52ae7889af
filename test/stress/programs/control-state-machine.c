// A scanner as a state machine of gotos, its position a pointer into a local string, its token ends pointers too.
#include "hop.h"

static NOINLINE int scan(const char *s, const char **starts, const char **ends) {
  int n = 0;
  const char *start;
blank:
  hop();
  if (!*s)
    return n;
  if (*s == ' ') {
    s++;
    goto blank;
  }
  start = s;
  if (*s == '"') {
    s++;
    goto quoted;
  }
word:
  hop();
  if (*s && *s != ' ') {
    s++;
    goto word;
  }
  goto token;
quoted:
  hop();
  if (*s == '\\' && s[1])
    s++;
  else if (*s == '"') {
    s++;
    goto token;
  }
  if (*s) {
    s++;
    goto quoted;
  }
token:
  starts[n] = start;
  ends[n++] = s;
  goto blank;
}

int main(void) {
  char text[] = "  plain \"quoted words\" \"with \\\" inside\" last";
  const char *starts[8], *ends[8];
  int n = scan(text, starts, ends);
  for (int i = 0; i < n; i++)
    printf("[%.*s]", (int)(ends[i] - starts[i]), starts[i]);
  printf("%d\n", n);
}
