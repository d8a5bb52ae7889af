// One of two processes that have a transport of Skein's between them and nothing above it, for the yardstick and for
// the unit test of the transports. Their addresses travel by a socket.
#ifndef SKEIN_BENCH_TRANSPORT_SIDE_H
#define SKEIN_BENCH_TRANSPORT_SIDE_H

#include "net/wire/transport.h"
#include "os/linux/descriptors.h"

#include <cstddef>
#include <dlfcn.h>
#include <unistd.h>

/// The transport of a library; null with the reason in `why`.
inline const skein_transport *transport_of(const char *library, const char *&why) {
  void *handle = dlopen(library, RTLD_NOW);
  why = handle ? "it is no transport of this version" : dlerror();
  if (!handle)
    return nullptr;
  auto table = reinterpret_cast<skein_transport_table_fn>(dlsym(handle, SKEIN_TRANSPORT_SYMBOL));
  return table && table()->version == SKEIN_TRANSPORT_VERSION ? table() : nullptr;
}

/// Opens the transport and connects to the process at the other end of the socket, which does the same. Null, or what
/// went wrong.
inline const char *transport_meet(const skein_transport *transport, const skein_transport_setup &setup, int socket) {
  static char error[256];
  if (transport->open(&setup, error, sizeof error))
    return error;
  skein_transport_address own, its{};
  transport->address(&own);
  const size_t descriptors = own.descriptors[0] < 0 ? 0 : SKEIN_TRANSPORT_DESCRIPTORS;
  if (!skein::send_with(socket, own.bytes, own.count, own.descriptors, descriptors))
    return "the other side is gone";
  char other[4096];
  const auto got = skein::receive_with(socket, other, sizeof other, its.descriptors, SKEIN_TRANSPORT_DESCRIPTORS, 0);
  if (got <= 0)
    return "the other side does not tell its address";
  its.bytes = other;
  its.count = static_cast<size_t>(got);
  const int failed = transport->connect(1 - setup.self, &its, error, sizeof error);
  for (const int descriptor : its.descriptors)
    close(descriptor);
  return failed ? error : nullptr;
}

#endif
