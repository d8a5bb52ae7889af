//===- AddressSpace.h - Where skein_shared pointers lead -----------------===//
#ifndef SKEIN_RULES_ADDRESSSPACE_H
#define SKEIN_RULES_ADDRESSSPACE_H

namespace skein {

/// The address space of `skein_shared` (stdlib/include/skein/shared.h), in clang's tree and in IR.
inline constexpr unsigned SharedSpace = 100;

} // namespace skein

#endif
