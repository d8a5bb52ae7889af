// What malloc and the related functions mean to the program and to its libraries: its own functions, if it defines any.
// Everywhere else in the runtime these names mean libc's (libc/next.cpp). The functions here are for two kinds of
// blocks: those that the program asks for, and those that a function of a library has made, which calls the program's
// malloc.
//
// The weak ones are null in a static program that defines malloc but not them, since libc has all of them in one
// object.
#ifndef SKEIN_BASE_PROGRAM_HEAP_H
#define SKEIN_BASE_PROGRAM_HEAP_H

#include <cstddef>

extern "C" {
void *__skein_program_malloc(size_t bytes);
void *__skein_program_calloc(size_t count, size_t bytes);
void *__skein_program_realloc(void *block, size_t bytes);
__attribute__((weak)) void *__skein_program_memalign(size_t alignment, size_t bytes);
void __skein_program_free(void *block);
__attribute__((weak)) size_t __skein_program_malloc_usable_size(void *block);
}

#endif
