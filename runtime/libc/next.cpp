// The runtime's libc is libc, whatever functions the program defines.
//
// A program may define memcpy, strlen, read, calloc: names that the C standard, or only POSIX, reserves, and which libc
// itself does not call by these names. They are compiled like the rest of the program: they use private variables,
// count their calls, abort when they do not like one, are migration points. The runtime is linked into the program, so
// its own references would mean them, too; it would call them before there are private variables, in the middle of a
// move, and in a signal handler.
//
// So the build gives each libc function that the runtime uses a name of its own (cmake/BindToLibc.py). In dynamic
// programs that is a jump through a slot, as a call of a library's function always is; all slots are filled by the
// first call, with what comes next after the program: libc's, or that of a library which is preloaded. Static programs
// have one definition of each name, so there the runtime has its own of those that matter (own.cpp).
//
// malloc stays what it is for the program if the block is the program's, or came from a library that calls the
// program's malloc (base/program_heap.h).
//
// Rejected: a version in the reference (memcpy@GLIBC_2.14): definitions in a program have none, and match; own
// functions for all (a second libc, and slower copies); RTLD_DEEPBIND for a runtime in a shared object (it would see
// libc's variables, not the copies of them in the program).
#include <cstdint>
#include <dlfcn.h>
#include <unistd.h>

extern "C" {

// These are generated, both in the same order; an empty name ends the second.
extern uintptr_t skein_libc_slots[] __attribute__((visibility("hidden")));
extern const char skein_libc_names[] __attribute__((visibility("hidden")));

/// Called by the first call of any function, since no slot is filled yet. If another kernel thread calls it at the same
/// time, both write the same.
__attribute__((visibility("hidden"), used)) void skein_libc_bind() {
  const char *name = skein_libc_names;
  for (uintptr_t *slot = skein_libc_slots; *name; slot++) {
    const auto function = reinterpret_cast<uintptr_t>(dlsym(RTLD_NEXT, name));
    if (!function) {
      constexpr char text[] = "skein: the C library lacks a function that it had where Skein was built\n";
      [[maybe_unused]] const ssize_t written = write(2, text, sizeof text - 1);
      _exit(70);
    }
    __atomic_store_n(slot, function, __ATOMIC_RELAXED);
    while (*name++)
      ;
  }
}
}

// On entry r11 is the slot of the function that is called, and all else is as its caller left it.
__asm__(R"(
    .text
    .globl __skein_libc_first
    .hidden __skein_libc_first
    .type __skein_libc_first, @function
__skein_libc_first:
    .cfi_startproc
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rax
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %r11
    subq $128, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    call skein_libc_bind
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $128, %rsp
    popq %r11
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rax
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmpq *(%r11)
    .cfi_endproc
)");
