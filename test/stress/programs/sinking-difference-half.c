// Differences of addresses of which 32 bits are used, live across calls: of a pointer and a global's address, of a
// result and a member, and as the optimiser writes what a loop over pointers has counted. One of them leads into the
// stack and the other into the program.
// refused: number
#include "hop.h"

struct cell {
  int type;
  double value;
  char *text;
};
static struct cell field[64];
struct text {
  unsigned long length;
  char bytes[40];
};

static NOINLINE int other_index(void) {
  hop();
  return -1;
}

static NOINLINE double assign(struct cell *cell) {
  int i = (int)(cell - field);
  if (i < 0 || i >= 64)
    i = other_index();
  hop();
  field[1].value += i;
  hop();
  return field[1].value + i;
}

static NOINLINE char *find(char *from, unsigned long length, unsigned long *found) {
  hop();
  for (unsigned long i = 0; i < length; i++)
    if (from[i] == ',') {
      *found = i % 3;
      return from + i;
    }
  return NULL;
}

static NOINLINE int commas(struct text *text) {
  int count = 0;
  for (int at = 0; at < (int)text->length; at++) {
    unsigned long many;
    char *where = find(text->bytes + at, text->length - (unsigned long)at, &many);
    if (where) {
      if (many)
        at = (int)((unsigned long)(where - text->bytes) + many) - 1;
      count += at;
    }
  }
  return count;
}

static NOINLINE int digits(const char *s) {
  const char *begin = s;
  int whole, fraction = 0;
  for (whole = 0; *s >= '0' && *s <= '9'; s++)
    whole++;
  if (*s == '.')
    for (s++; *s >= '0' && *s <= '9'; s++)
      fraction++;
  int exponent = whole - fraction;
  hop();
  for (int i = 0; i < exponent; i++)
    hop();
  return exponent * 100 + (int)(s - begin);
}

int main(void) {
  struct cell local;
  printf("%.0f %.0f\n", assign(&field[7]), assign(&field[63]));
  printf("%d\n", assign(&local) != 0);
  struct text text = {33, "a,bc,def,ghij,klmno,pqrstu,vwxyz"};
  printf("%d\n", commas(&text));
  printf("%d %d\n", digits("12345.678"), digits("987654321"));
}
