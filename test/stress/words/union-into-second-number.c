// A word of a union becomes the second member of a struct, declared as a number, which another function changes.
#define MEMBERS other, word
#include "union-into-number.c"
