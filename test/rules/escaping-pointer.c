// Pointers in messages and in shared memory.
// RUN: %verify-rule -Wskein-escaping-pointer %s
#include <skein/messages.h>
#include <skein/shared.h>

SKEIN_HANDLER_DECLARE(serve);
struct named {
  const char *name;
  int number;
};
struct wrapped {
  int kind;
  struct named inner[2];
};
struct plain {
  char name[16];
  skein_shared int *object;
};

void sends(int node, struct named *one, int *p) {
  struct wrapped both = {0};
  skein_send(node, &serve, one, sizeof *one);      // expected-warning {{'skein_send' sends 'struct named'}}
  skein_send(node, &serve, &both, sizeof both);    // expected-warning {{'skein_send' sends 'struct wrapped'}}
  skein_call(node, &serve, &p, sizeof p, 0, 0, 0); // expected-warning {{'skein_call' sends 'int *'}}
}
void replies(struct skein_message *message, struct named one) {
  skein_reply(message, &one, sizeof one); // expected-warning {{'skein_reply' sends 'struct named'}}
}
void keeps(skein_shared struct named *to, const char *name) {
  to->name = name; // expected-warning {{shared memory gets a plain pointer}}
}

// Near misses.
void sends_bytes(int node, struct plain *one, int *numbers, const char *text) {
  skein_send(node, &serve, one, sizeof *one);
  skein_send(node, &serve, numbers, 4 * sizeof *numbers);
  skein_send(node, &serve, text, 5);
  skein_send(node, &serve, 0, 0);
}
void keeps_shared(skein_shared struct plain *to, skein_shared int *object) {
  to->object = object;
  to->name[0] = 'a';
}
void clears(skein_shared struct named *to) { to->name = NULL; }
SKEIN_UNTRACKED void meant(skein_shared struct named *to, const char *name) { to->name = name; }
