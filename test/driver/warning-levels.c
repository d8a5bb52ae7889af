// -W flags of Skein, in the order of the command line, become levels for the plugin.
// RUN: %plain-skeincc -### -c %s 2>&1 | FileCheck --check-prefix=DEFAULT %s
// RUN: %plain-skeincc -### -c %s -Wno-skein 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %plain-skeincc -### -c %s -Wno-skein -Wskein-global 2>&1 | FileCheck --check-prefix=ONE %s
// RUN: %plain-skeincc -### -c %s -Werror=skein-unproved 2>&1 | FileCheck --check-prefix=NAMED %s
// RUN: %plain-skeincc -### -c %s -Wno-skein-unproved -Werror=skein-unproved 2>&1 | FileCheck --check-prefix=NAMED %s
// RUN: %plain-skeincc -### -c %s -Werror=skein 2>&1 | FileCheck --check-prefix=ALL %s
// RUN: %plain-skeincc -### -c %s -Werror 2>&1 | FileCheck --check-prefix=PLAIN %s
// RUN: %plain-skeincc -### -c %s -Werror -Wno-error=skein-global 2>&1 | FileCheck --check-prefix=EXCEPT %s
// RUN: %plain-skeincc -### -c %s -Wno-error=skein-global -Werror 2>&1 | FileCheck --check-prefix=EXCEPT %s
// RUN: %plain-skeincc -### -c %s -Werror -Wno-error 2>&1 | FileCheck --check-prefix=DEFAULT %s
// RUN: %plain-skeincc -### -c %s -w -Werror 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %plain-skeincc -### -c %s -w -Werror=skein-global 2>&1 | FileCheck --check-prefix=SILENT %s
// RUN: %plain-skeincc -### -c %s -Wskein-pedantic 2>&1 | FileCheck --check-prefix=PEDANTIC %s
// RUN: %plain-skeincc -### -c %s -Wskein-pedantic -Wno-skein 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %plain-skeincc -### -c %s -Wskein-pedantic -Werror 2>&1 | FileCheck --check-prefix=STRICT %s

// PEDANTIC: "-skein-warnings=unproved=warning,{{.*}},shared-race=warning,pedantic=warning"
// STRICT: "-skein-warnings=unproved=warning,{{.*}},shared-race=error,pedantic=error"
// SILENT: "-skein-warnings=unproved=off,pinned=off,global=error,local-address=off,{{.*}},pedantic=off"
// DEFAULT: "-skein-warnings=unproved=warning,pinned=warning,global=warning,local-address=warning,{{.*}},pedantic=off"
// OFF: "-skein-warnings=unproved=off,pinned=off,global=off,local-address=off,{{.*}},pedantic=off"
// ONE: "-skein-warnings=unproved=off,pinned=off,global=warning,local-address=off,{{.*}},pedantic=off"
// NAMED: "-skein-warnings=unproved=error,pinned=warning,global=warning,local-address=warning,{{.*}},pedantic=off"
// ALL: "-skein-warnings=unproved=error,pinned=error,global=error,local-address=error,{{.*}},pedantic=off"
// PLAIN: "-skein-warnings=unproved=warning,pinned=warning,global=error,local-address=error,{{.*}},pedantic=off"
// EXCEPT: "-skein-warnings=unproved=warning,pinned=warning,global=warning,local-address=error,{{.*}},pedantic=off"
int main(void) { return 0; }
