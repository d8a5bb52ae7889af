// Windows: memory of a node that other nodes read and write by copies; what programs see is in <skein/messages.h>.
//
// A copy is a builtin request (active.h) with the window's number, an offset and a length; the owner looks all three up
// before it touches any memory, so no address from a message is ever used. Opening, closing and copying exclude each
// other (link_exclusive), so no copy is under way in a window that has been closed.
#ifndef SKEIN_NET_MESSAGES_WINDOWS_H
#define SKEIN_NET_MESSAGES_WINDOWS_H

namespace skein {

void windows_start();

} // namespace skein

#endif
