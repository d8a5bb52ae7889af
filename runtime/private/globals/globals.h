// Private globals: each thread has its own copy of the program's private variables.
//
// The compiler gives private variables a place in the *template* (abi/private_globals.h), and code reaches them by
// `%gs:x(%rip)`, with gs = copy - template. When the program starts, the template's contents are put aside as the
// *image* from which copies are made, and the template becomes inaccessible. So does a second range of its size,
// *nowhere*: the gs of a thread without a copy leads there. Of what begins as zero the image has only the pages in
// which something was stored before that: gs is 0 until then, so that early code uses the template itself.
//
//     program                     reserved              thread 7                thread 9
//     +-----------+               +-----------+         +-----------+
//     | template  |  gs of 9 ---> | nowhere   |         | copy      |           touched nothing yet
//     | no access |  gs of 7 --.  | no access |    .--> |           |
//     +-----------+             \ +-----------+   /     +-----------+
//                                `---------------'
//
// * A thread that touches no private variable pays nothing. Its first access faults nowhere; the SIGSEGV handler makes
//   the copy, sets gs, and the instruction runs again.
// * main's copy is made before the program's constructors run, so that they initialise it; it stays until the process
//   ends, so that destructors and exit handlers find it. While no thread runs on the first kernel thread, signal
//   handlers of the program see main's copy.
// * Variables that C++ code initialises before main are initialised in main's copy. They lie together at the end of the
//   template (the *initialised part*). In the copies of others that part is inaccessible, so that code which would find
//   zeros there is named. (Rejected: running the initialisers for each thread, since what they do need not be the
//   thread's own; main's values for all, since they hold addresses of main's.)
// * A copy is a region (regions.h): its addresses are the thread's own, wherever it goes. In it, the words that hold
//   addresses of private variables lead into the copy.
// * Code that was not compiled for it, but uses a private variable, touches the template: it faults and is named. Code
//   that was compiled for it, while another unit defines the variable for the process, is found out at the start.
// * Kernel threads of the program's own share the copy of their host (kernel_threads.h). Of thread-local variables each
//   has its own: they lie together in the middle of the template, in whole pages, so that such a thread can have a
//   *view* of the copy (views.h), made when it first touches a private variable.
//
// Rejected: a copy for each thread when it starts (a million threads); a fault handler of userfaultfd (needs
// permission); storing the base in the thread control block of libc (not ours, and two instructions).
#ifndef SKEIN_PRIVATE_GLOBALS_GLOBALS_H
#define SKEIN_PRIVATE_GLOBALS_GLOBALS_H

#include "thread/thread.h"

#include <cstddef>
#include <cstdint>

namespace skein {

/// Whether the program has private variables, or uses any.
bool globals_wanted();
/// Before constructors run, with `node` known: template, image and main's copy. Ends the program if units disagree.
void globals_start();
/// Gives the copy that the constructors initialised to this thread, which is main.
void globals_adopt(Thread &main);
/// The thread owns a copy that begins there, which was made here or has arrived. gs leads there while the thread runs.
void globals_attach(Thread &thread, uintptr_t copy);
/// The thread leaves this process with its copy. Nothing here leads to the copy any more.
void globals_depart(Thread &thread);
/// The thread has ended. True if its copy must stay nevertheless, which is so for main's.
bool globals_end(Thread &thread);
/// main returns on this node. Called before another node hears of that.
void globals_main_ends();
/// No thread runs any more on this kernel thread, and exit handlers will: they see main's copy on
/// node 0, or where main ended, and on others the copy that their constructors initialised.
void globals_after_run();

/// The running Skein thread starts a kernel thread (null: a constructor does): `segment` is what gs is to hold there;
/// 0: there are no private variables. Makes the thread's copy. False without memory.
bool globals_for_kernel_thread(Thread *host, uintptr_t &segment);
/// No kernel thread that the thread started runs any more, so its copy is its own again.
void globals_unshare(const Thread &thread);
/// A kernel thread of the program's own ends: its view, if it had one, is removed.
void globals_kernel_thread_end();

/// Whether the address lies in the copy that this process made for main, which constructors initialise.
bool globals_of_main(uintptr_t address);
/// Whether main's copy is here.
bool globals_main_here();

/// What kind of word lies at an offset in a copy.
struct GlobalWord {
  const char *variable; // null: nothing, a gap
  size_t offset;        // in the variable
  bool pointer;         // the word that begins there is a pointer; else, a number as far as types tell
};
GlobalWord globals_word(size_t offset);
/// Whether each pointer among the private variables lies at a multiple of its size: no variable is packed.
bool globals_pointers_aligned();

} // namespace skein

#endif
