/* Each balancing policy: what it did on the four nodes of a ring shows its class (who took the initiative, on what
 * knowledge, how far threads went), and it beats no balancing on a skewed load (Inputs/skewed.h). */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=random %run -n 4 --timeout 30 %t 2>&1 \
// RUN:   | FileCheck --check-prefix=RANDOM %s
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=neighbour %run -n 4 --timeout 30 %t 2>&1 \
// RUN:   | FileCheck --check-prefix=NEIGHBOUR %s
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=local_random %run -n 4 --timeout 30 %t 2>&1 \
// RUN:   | FileCheck --check-prefix=LOCAL-RANDOM %s
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=global_random %run -n 4 --timeout 30 %t 2>&1 \
// RUN:   | FileCheck --check-prefix=GLOBAL-RANDOM %s
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=gradient %run -n 4 --timeout 30 %t 2>&1 \
// RUN:   | FileCheck --check-prefix=GRADIENT %s
// RUN: env SKEIN_OPTIONS=workers=1,policy_report=on,policy=bidding %run -n 4 --timeout 30 %t 2>&1 \
// RUN:   | FileCheck --check-prefix=BIDDING %s
// RUN: not env SKEIN_OPTIONS=policy=nonsense %t 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: policy=nonsense: there is no such policy in this program; it has {{.*}}gradient, {{.*}}random

// Receivers ask, and nobody pushes. Nothing is known of others before they are asked; that there is work again now is
// told to those who asked in vain.
// RANDOM: it was worth it
// RANDOM-DAG: random (LDGM, receiver): node 0: pushed threads: none
// RANDOM-DAG: random (LDGM, receiver): node 1: pushed threads: none
// RANDOM-DAG: random (LDGM, receiver): node 2: pushed threads: none
// RANDOM-DAG: random (LDGM, receiver): node 3: pushed threads: none
// RANDOM-DAG: random (LDGM, receiver): node 2: stole threads: {{[0-9]+ of [0-9]+}} asked from 0

// The same among neighbours.
// NEIGHBOUR: it was worth it
// NEIGHBOUR-DAG: neighbour (LDLM, receiver): node 0: pushed threads: none
// NEIGHBOUR-DAG: neighbour (LDLM, receiver): node 1: pushed threads: none
// NEIGHBOUR-DAG: neighbour (LDLM, receiver): node 2: pushed threads: none
// NEIGHBOUR-DAG: neighbour (LDLM, receiver): node 3: pushed threads: none
// NEIGHBOUR-DAG: node 0: stole threads: {{([0-9]+ of [0-9]+ asked from [13](, )?)+$}}
// NEIGHBOUR-DAG: node 1: stole threads: {{([0-9]+ of [0-9]+ asked from [02](, )?)+$}}
// NEIGHBOUR-DAG: node 2: stole threads: {{([0-9]+ of [0-9]+ asked from [13](, )?)+$}}
// NEIGHBOUR-DAG: node 3: stole threads: {{([0-9]+ of [0-9]+ asked from [02](, )?)+$}}

// Senders that know only their own load: nothing is told, nothing is asked for; to neighbours, or to all.
// LOCAL-RANDOM: it was worth it
// LOCAL-RANDOM-DAG: local_random (LDLM, sender): node 0: pushed threads: {{(([0-9]+ to [13](, )?)+|none)$}}
// LOCAL-RANDOM-DAG: local_random (LDLM, sender): node 1: pushed threads: {{(([0-9]+ to [02](, )?)+|none)$}}
// LOCAL-RANDOM-DAG: local_random (LDLM, sender): node 2: pushed threads: {{(([0-9]+ to [13](, )?)+|none)$}}
// LOCAL-RANDOM-DAG: local_random (LDLM, sender): node 3: pushed threads: {{(([0-9]+ to [02](, )?)+|none)$}}
// LOCAL-RANDOM-DAG: node 0: stole threads: none
// LOCAL-RANDOM-DAG: node 0: told the others 0 times
// LOCAL-RANDOM-DAG: node 2: stole threads: none
// LOCAL-RANDOM-DAG: node 2: told the others 0 times

// GLOBAL-RANDOM: it was worth it
// GLOBAL-RANDOM-DAG: global_random (LDGM, sender): node 0: pushed threads: {{[0-9]+ to 1, [0-9]+ to 2, [0-9]+ to 3$}}
// GLOBAL-RANDOM-DAG: node 0: stole threads: none
// GLOBAL-RANDOM-DAG: node 0: told the others 0 times

// A sender that knows who is low, all the same to neighbours only: what node 2 gets comes by 1 or 3.
// GRADIENT: it was worth it
// GRADIENT-DAG: gradient (GDLM, sender): node 0: pushed threads: {{(([0-9]+ to [13](, )?)+|none)$}}
// GRADIENT-DAG: gradient (GDLM, sender): node 1: pushed threads: {{(([0-9]+ to [02](, )?)+|none)$}}
// GRADIENT-DAG: gradient (GDLM, sender): node 2: pushed threads: {{(([0-9]+ to [13](, )?)+|none)$}}
// GRADIENT-DAG: gradient (GDLM, sender): node 3: pushed threads: {{(([0-9]+ to [02](, )?)+|none)$}}
// GRADIENT-DAG: node 2: stole threads: none
// GRADIENT-DAG: node 2: told the others {{[1-9][0-9]*}} times

// Receivers bid, at all nodes, and the loaded one deals with all of them; nobody is asked for threads by a steal.
// BIDDING: it was worth it
// BIDDING-DAG: bidding (GDGM, receiver): node 0: pushed threads: {{.*[0-9]+ to 2}}
// BIDDING-DAG: node 0: stole threads: none
// BIDDING-DAG: node 1: told the others {{[1-9][0-9]*}} times
// BIDDING-DAG: node 2: told the others {{[1-9][0-9]*}} times
// BIDDING-DAG: node 3: told the others {{[1-9][0-9]*}} times

#include "skewed.h"
