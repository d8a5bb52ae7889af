/* Huffman codes: a heap of tree nodes, recursive code assignment, encoding and decoding bit by bit. */
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { SYMBOLS = 64, BYTES = 1 << 15 };
struct node {
  struct node *child[2];
  long weight;
  int symbol;
};
struct heap {
  struct node *items[SYMBOLS + 1];
  int count;
};
__attribute__((noinline)) static void push(struct heap *h, struct node *n) {
  int i = ++h->count;
  for (; i > 1 && h->items[i / 2]->weight > n->weight; i /= 2)
    h->items[i] = h->items[i / 2];
  h->items[i] = n;
}
__attribute__((noinline)) static struct node *pop(struct heap *h) {
  struct node *top = h->items[1], *last = h->items[h->count--];
  int i = 1;
  for (int child; (child = 2 * i) <= h->count; i = child) {
    if (child < h->count && h->items[child + 1]->weight < h->items[child]->weight)
      child++;
    if (h->items[child]->weight >= last->weight)
      break;
    h->items[i] = h->items[child];
  }
  h->items[i] = last;
  return top;
}
struct code {
  unsigned long bits;
  int length;
};
static void assign(const struct node *n, struct code *codes, unsigned long bits, int length) {
  if (!n->child[0]) {
    codes[n->symbol] = (struct code){bits, length ? length : 1};
    return;
  }
  assign(n->child[0], codes, bits, length + 1);
  assign(n->child[1], codes, bits | 1ul << length, length + 1);
}
struct stream {
  unsigned char *bytes;
  long bit;
};
__attribute__((noinline)) static void put(struct stream *s, const struct code *code) {
  for (int i = 0; i < code->length; i++, s->bit++)
    if (code->bits >> i & 1)
      s->bytes[s->bit / 8] |= (unsigned char)(1u << s->bit % 8);
}
__attribute__((noinline)) static int get(struct stream *s, const struct node *tree) {
  while (tree->child[0]) {
    tree = tree->child[s->bytes[s->bit / 8] >> s->bit % 8 & 1];
    s->bit++;
  }
  return tree->symbol;
}
int main(void) {
  static unsigned char text[BYTES], packed[2 * BYTES];
  unsigned seed = 99;
  long total = 0, wrong = 0;
  for (int round = 0; round < ROUNDS(230); round++) {
    struct node nodes[2 * SYMBOLS];
    struct heap heap = {{0}, 0};
    struct code codes[SYMBOLS];
    memset(nodes, 0, sizeof nodes);
    memset(packed, 0, sizeof packed);
    for (int i = 0; i < SYMBOLS; i++) {
      nodes[i].symbol = i;
      nodes[i].weight = 1;
    }
    for (int i = 0; i < BYTES; i++) {
      seed = seed * 1664525 + 1013904223;
      text[i] = (unsigned char)((seed >> 26) & (seed >> 20) & 63);
      nodes[text[i]].weight++;
    }
    for (int i = 0; i < SYMBOLS; i++)
      push(&heap, &nodes[i]);
    struct node *fresh = nodes + SYMBOLS;
    while (heap.count > 1) {
      fresh->child[0] = pop(&heap);
      fresh->child[1] = pop(&heap);
      fresh->weight = fresh->child[0]->weight + fresh->child[1]->weight;
      push(&heap, fresh++);
    }
    struct node *root = pop(&heap);
    assign(root, codes, 0, 0);
    struct stream out = {packed, 0}, in = {packed, 0};
    for (int i = 0; i < BYTES; i++)
      put(&out, &codes[text[i]]);
    for (int i = 0; i < BYTES; i++)
      wrong += get(&in, root) != text[i];
    total += out.bit;
  }
  printf("%ld %ld\n", total, wrong);
  return 0;
}
