// See map_builder.h.
#include "map_builder.h"

unsigned char pretend_code[pretend_code_bytes];
alignas(8) unsigned char pretend_maps[8 << 20];
char pretend_file[16] = "pretend.c";
