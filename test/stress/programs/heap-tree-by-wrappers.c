// Allocation through wrappers that return void *: the type is found where the result is converted. Trees, tables of
// pointers to locals, strings, growth by realloc, structures with flexible arrays and old-style ones.
// flags: -fskein-heap=private
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *xmalloc(size_t bytes) {
  void *block = malloc(bytes);
  if (!block)
    abort();
  return block;
}
static void *xcalloc(size_t count, size_t bytes) { return memset(xmalloc(count * bytes), 0, count * bytes); }
static void *xrealloc(void *block, size_t bytes) {
  block = realloc(block, bytes);
  if (!block)
    abort();
  return block;
}

struct tree {
  const char *key;
  long *value;
  struct tree *left, *right;
};

struct stack {
  size_t count, room;
  long **entries;
};

struct record {
  int count;
  struct {
    long *where;
    long what;
  } entries[];
};

struct old {
  struct old *next;
  long *where;
  char text[1];
};

static struct tree *insert(struct tree *at, const char *key, long *value) {
  if (!at) {
    at = xcalloc(1, sizeof *at);
    at->key = key;
    at->value = value;
    return at;
  }
  int order = strcmp(key, at->key);
  if (order < 0)
    at->left = insert(at->left, key, value);
  else if (order > 0)
    at->right = insert(at->right, key, value);
  else
    *at->value += *value;
  return at;
}

static long total(const struct tree *at) { return at ? *at->value + total(at->left) + total(at->right) : 0; }

static void clear(struct tree *at) {
  if (!at)
    return;
  clear(at->left);
  clear(at->right);
  free(at);
}

static void push(struct stack *stack, long *entry) {
  if (stack->count == stack->room) {
    stack->room = stack->room ? 2 * stack->room : 2;
    stack->entries = xrealloc(stack->entries, stack->room * sizeof *stack->entries);
  }
  stack->entries[stack->count++] = entry;
}

static long drain(struct stack *stack) {
  long sum = 0;
  while (stack->count)
    sum = sum * 3 + *stack->entries[--stack->count];
  free(stack->entries);
  return sum;
}

static struct old *old_style(struct old *next, const char *text, long *where) {
  struct old *made = (struct old *)malloc(sizeof(struct old) + strlen(text));
  made->next = next;
  made->where = where;
  strcpy(made->text, text);
  return made;
}

int main(void) {
  static const char *const words[] = {"pear", "fig", "apple", "plum", "fig", "quince", "pear", "lime", "fig"};
  enum { count = sizeof words / sizeof *words };
  long values[count];
  struct tree *tree = NULL;
  struct stack stack = {0};
  struct record *record = xmalloc(sizeof *record + count * sizeof record->entries[0]);
  struct old *list = NULL;
  record->count = count;
  for (int i = 0; i < count; i++) {
    values[i] = i + 1;
    record->entries[i].where = &values[i];
    record->entries[i].what = i;
    list = old_style(list, words[i], &values[i]);
    tree = insert(tree, words[i], &values[i]);
    push(&stack, &values[i]);
  }
  printf("%ld %ld\n", total(tree), drain(&stack));
  for (int i = 0; i < record->count; i++)
    printf("%ld ", *record->entries[i].where * record->entries[i].what);
  while (list) {
    struct old *next = list->next;
    printf("%s=%ld ", list->text, *list->where);
    free(list);
    list = next;
  }
  putchar('\n');
  clear(tree);
  free(record);
  return 0;
}
