// What skein-tunnel, listening, sends the launcher over its control socket: packets of a letter and text.
#ifndef SKEIN_LAUNCH_TUNNEL_LETTERS_H
#define SKEIN_LAUNCH_TUNNEL_LETTERS_H

namespace skein::tunnel {

inline constexpr char says_listening = 'l'; // its address and port
inline constexpr char says_failed = 'f';    // why it cannot listen
inline constexpr char says_joined = 'j';    // who; one end of a socket pair comes along

} // namespace skein::tunnel

#endif
