// The same as union-into-number.c, of the second member.
#define MEMBERS other, word
#include "union-into-number.c"
