/* What an object does when the thread that it belongs to leaves a node and arrives at one, by its class
 * (<skein/move_handlers.h>):
 *
 *     class log : skein::moves<log> {
 *       friend skein::moves<log>;
 *       void leaves(int to) noexcept { close(); }
 *       void arrives(int from) noexcept { open(path_); }
 *       ...
 *     };
 *
 * Every object of the class that a thread has on its stack, in its private variables or on its private heap is told. It
 * cannot be copied, since its place is known. An object elsewhere ends the program with a message. What `leaves` and
 * `arrives` may do is what handlers may do; an exception that leaves them ends the program. */
#ifndef SKEIN_MOVE_HANDLERS_HPP
#define SKEIN_MOVE_HANDLERS_HPP

#include <skein/move_handlers.h>

namespace skein {

template <class Derived> class moves {
protected:
  moves() noexcept : handler_{leave, arrive, this, nullptr, 0} { __skein_on_move(&handler_); }
  moves(const moves &) = delete;
  moves &operator=(const moves &) = delete;
  ~moves() { __skein_on_move_over(&handler_); }

private:
  static void leave(void *object, int to) noexcept { own(object).leaves(to); }
  static void arrive(void *object, int from) noexcept { own(object).arrives(from); }
  static Derived &own(void *object) { return static_cast<Derived &>(*static_cast<moves *>(object)); }

  skein_move_handler handler_;
};

} // namespace skein

#endif
