/* Each balancing policy is run on the four nodes of a ring, and what it did must show its class (which side took the
 * initiative, on what knowledge, how far threads went: Inputs/policy_class.py). It must also beat no balancing on a
 * skewed load (Inputs/skewed.h). What another class does must not pass for its own. `follow` has a test of its own. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=random %run -n 4 --timeout 30 %t > %t.random 2>&1
// RUN: %python %S/Inputs/policy_class.py "LDGM, receiver" random < %t.random
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=neighbour %run -n 4 --timeout 30 %t > %t.neighbour 2>&1
// RUN: %python %S/Inputs/policy_class.py "LDLM, receiver" neighbour < %t.neighbour
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=local_random %run -n 4 --timeout 30 %t > %t.local 2>&1
// RUN: %python %S/Inputs/policy_class.py "LDLM, sender" local_random < %t.local
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=global_random %run -n 4 --timeout 30 %t > %t.global 2>&1
// RUN: %python %S/Inputs/policy_class.py "LDGM, sender" global_random < %t.global
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=gradient %run -n 4 --timeout 30 %t > %t.gradient 2>&1
// RUN: %python %S/Inputs/policy_class.py "GDLM, sender" gradient < %t.gradient
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=bidding %run -n 4 --timeout 30 %t > %t.bidding 2>&1
// RUN: %python %S/Inputs/policy_class.py "GDGM, receiver" bidding < %t.bidding
// RUN: not env SKEIN_OPTIONS=policy=nonsense %t 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: policy=nonsense: there is no such policy in this program; it has {{.*}}gradient, {{.*}}random

// To show that the test of classes can fail, what one policy did is checked under the name of the next.
// RUN: sed 's/random (LDGM, receiver)/neighbour (LDLM, receiver)/' %t.random \
// RUN:   | not %python %S/Inputs/policy_class.py "LDLM, receiver" neighbour | FileCheck --check-prefix=WORTH %s
// RUN: sed 's/local_random (LDLM, sender)/global_random (LDGM, sender)/' %t.local \
// RUN:   | not %python %S/Inputs/policy_class.py "LDGM, sender" global_random | FileCheck --check-prefix=WORTH %s
// RUN: sed 's/gradient (GDLM, sender)/local_random (LDLM, sender)/' %t.gradient \
// RUN:   | not %python %S/Inputs/policy_class.py "LDLM, sender" local_random | FileCheck --check-prefix=WORTH %s
// RUN: sed 's/bidding (GDGM, receiver)/global_random (LDGM, sender)/' %t.bidding \
// RUN:   | not %python %S/Inputs/policy_class.py "LDGM, sender" global_random | FileCheck --check-prefix=WORTH %s
// RUN: sed 's/random (LDGM, receiver)/bidding (GDGM, receiver)/' %t.random \
// RUN:   | not %python %S/Inputs/policy_class.py "GDGM, receiver" bidding | FileCheck --check-prefix=WORTH %s
// WORTH: it was worth it

#include "skewed.h"
