// The end of a transport library: its table, of the functions that have the table's names where this is written, and
// the one symbol by which it is found.
#ifndef SKEIN_NET_WIRE_TRANSPORT_SYMBOL_H
#define SKEIN_NET_WIRE_TRANSPORT_SYMBOL_H

#include "net/wire/transport.h"

#define SKEIN_TRANSPORT_TABLE(name)                                                                                    \
  {SKEIN_TRANSPORT_VERSION,                                                                                            \
   name,                                                                                                               \
   open,                                                                                                               \
   address,                                                                                                            \
   connect,                                                                                                            \
   send,                                                                                                               \
   lend,                                                                                                               \
   progress,                                                                                                           \
   wait_fd,                                                                                                            \
   arm,                                                                                                                \
   disconnect,                                                                                                         \
   pending,                                                                                                            \
   close,                                                                                                              \
   leave,                                                                                                              \
   abandon,                                                                                                            \
   forget}

#define SKEIN_TRANSPORT_DEFINE(table)                                                                                  \
  extern "C" __attribute__((visibility("default"))) const skein_transport *skein_transport_table() { return &(table); }

#endif
