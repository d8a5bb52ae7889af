// A pointer as bytes, used after the thread may have moved.
// RUN: %verify-rule -Wskein-pointer-bytes %s
#include <skein/skein.h>
#include <string.h>

void elsewhere(void);

int *copied(int *p) {
  char bytes[16];
  memcpy(bytes, &p, sizeof p);
  skein_yield();
  memcpy(&p, bytes, sizeof p); // expected-warning {{the bytes in 'bytes' hold a pointer}}
  return p;
}

int *cast(int *p) {
  _Alignas(8) unsigned char bytes[16];
  *(int **)bytes = p;
  skein_yield();
  return *(int **)bytes; // expected-warning {{the bytes in 'bytes' hold a pointer}}
}

struct record {
  int kind;
  const char *name;
};

void keep(const void *bytes);
void whole(struct record r) {
  char bytes[64];
  memcpy(bytes + 8, &r, sizeof r);
  skein_yield();
  keep(bytes); // expected-warning {{the bytes in 'bytes' hold a pointer}}
}

struct message {
  int length;
  char data[32];
};

int *in_member(int *p) {
  struct message m;
  memcpy(m.data, &p, sizeof p);
  elsewhere();
  memcpy(&p, m.data, sizeof p); // expected-warning {{[-Wskein-pedantic,-Wskein-pointer-bytes]}}
  return p;
}

// Near misses.
int numbers(long n) {
  char bytes[16];
  memcpy(bytes, &n, sizeof n);
  skein_yield();
  memcpy(&n, bytes, sizeof n);
  return (int)n;
}

int text(const char *name) {
  char bytes[16];
  memcpy(bytes, name, 16);
  skein_yield();
  return bytes[0];
}

int *before(int *p) {
  char bytes[16];
  int *q;
  memcpy(bytes, &p, sizeof p);
  memcpy(&q, bytes, sizeof q);
  skein_yield();
  return q;
}

void again(int *p, int n) {
  char bytes[16];
  for (int i = 0; i < n; i++) {
    memcpy(bytes, &p, sizeof p);
    skein_yield();
  }
}

int *meant(int *p) {
  SKEIN_UNTRACKED char bytes[16];
  memcpy(bytes, &p, sizeof p);
  skein_yield();
  memcpy(&p, bytes, sizeof p);
  return p;
}
