// Addresses of the program, hidden, are in locals, arrays and structs over calls: functions, constants, globals.
#include "words.h"

static long five(void) { return 5; }
static long six = 6;
static const char text[] = "7";

struct words {
  uintptr_t code;
  double data;
  unsigned char bytes[8];
};

static NOINLINE void fill(struct words *w, long (*code)(void), long *data, const char *string) {
  w->code = (uintptr_t)code ^ key();
  w->data = (double)(uintptr_t)data;
  memcpy(w->bytes, &string, sizeof string);
}

static NOINLINE long use(void) {
  struct words w;
  fill(&w, five, &six, text);
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    const char *string;
    memcpy(&string, w.bytes, sizeof string);
    sum = sum * 10 + ((long (*)(void))(w.code ^ key()))() + *(long *)(uintptr_t)w.data + *string - '0';
  }
  return sum;
}

int main(void) { printf("%ld\n", use()); }
