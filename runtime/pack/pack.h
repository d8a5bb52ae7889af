// <skein/pack.h>: threads are packed into images that the program keeps, and made of them.
//
//     skein_pack      the caller, or a thread at rest  ->  image_capture (migrate)  ->  seal
//     skein_unpack    sealed bytes -> seal_open, image_check -> claims of its private memory -> image_copy -> ready
//     skein_roll_back                    the same            -> claims of what it lacks      -> image_roll_back
//
// Packing is the first half of a move and unpacking the second half, with four differences.
//
// * The packed thread goes on, so its stack's address is taken. A copy has another stack, and its words are relocated.
//   If a word, a call or a number does not allow that, the image cannot be unpacked, and this says why. (A thread that
//   is rolled back keeps its stack.)
// * The copy is another thread: it has an id of its own, so that nobody who joins, cancels or names the original means
//   the copy, and no protocol of moves (shipments, births) knows of it before it first leaves.
// * Private memory keeps its addresses (private/regions/regions.h), since the program may have made numbers of them: an
//   ordered set of pointers, a hash. So a copy gets the addresses of the original, and one thread has them at a time.
//   The owner of their slice decides who: regions of a packed thread are *kept* for its images when it ends, and are
//   *claimed* there for each thread that is made of one. A claim of another node's region is a call.
//   (docs/models/claims.pml is a model of this.)
// * Nobody knows where the image goes. So what may not be doubled keeps a thread from being packed: locks, also those
//   over nodes, waits, and the end of main. What is shared stays shared (<skein/pack.h>).
//
// Images of another run are told apart by the run's number. Addresses of shared memory mean nothing here then, so such
// an image is searched for them. Addresses of private memory that this run has never handed out can be claimed.
//
// Rejected: to relocate private memory, so that copies could live side by side. That needs the type of every block, as
// for addresses of the stack, but also that no number was made of any address of the heap. Programs do that all the
// time (std::set<T *>), nothing would notice, and the copy would be wrong.
#ifndef SKEIN_PACK_PACK_H
#define SKEIN_PACK_PACK_H

namespace skein {

void pack_start();

} // namespace skein

#endif
