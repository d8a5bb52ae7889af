/* What a generated program sees when it is packed (packs.py): its main is a function that each of many threads runs. */
#include <stdint.h>

int program_main(void);
void pack_point(void);                                /* the thread may pack itself here */
void note_sum(const char *format, uint64_t sum, ...); /* what the program would have printed */
uint64_t thread_number(void);
