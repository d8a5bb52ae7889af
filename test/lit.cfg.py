"""Configuration of all lit suites; docs/hacking.md says how to write a test.

Substitutions, besides lit's own:

    %skeincc, %skein++          the compiler of this build tree, with unproved calls as errors, as in all our tests
    %plain-skeincc, ...++       the same without that, for tests of the driver and its warnings
    %clang, %clang++            clang-22 without Skein: the reference
    %opt, %llc                  with the plugin loaded
    %verify-rule, ...-cxx       the compiler with pedantic findings on, compared with the expected-warning of the file
    %check, %tidy               skein-check; clang-tidy with the module of its rules loaded
    %skein, %run                the launcher, and `skein run`
    %build, %root, %python      build tree, source tree, the interpreter lit runs in
"""
import os
import subprocess
import sys

import lit.formats
import lit.util

config.name = "skein"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".mir", ".c", ".cpp", ".test"]
config.excludes = ["unit", "bench", "faults", "Inputs", "CMakeLists.txt"]
config.test_source_root = config.skein_source + "/test"
config.test_exec_root = config.skein_build + "/test"

tools = config.llvm_tools
build = config.skein_build
plugin = build + "/lib/skein/SkeinPlugin.so"
skeincc = build + "/bin/skeincc"
skeinxx = build + "/bin/skein++"
strict = " -Werror=skein-unproved"
verify_rule = " -fsyntax-only -Wno-skein -Wskein-pedantic -Xclang -verify -Xclang -verify-ignore-unexpected=note"

# lit replaces in this order, so a name that begins with another comes first.
config.substitutions += [
    ("%plain-skeincc", skeincc),
    ("%plain-skein\\+\\+", skeinxx),
    ("%check", build + "/bin/skein-check"),
    ("%tidy", f"clang-tidy-22 -load={build}/lib/skein/SkeinTidy.so"),
    ("%verify-rule-cxx", skeinxx + " -std=c++20" + verify_rule),
    ("%verify-rule", skeincc + verify_rule),
    ("%skeincc", skeincc + strict),
    ("%skein\\+\\+", skeinxx + strict),
    ("%skein", build + "/bin/skein"),
    ("%run", build + "/bin/skein run"),
    ("%clang\\+\\+", tools + "/clang++"),
    ("%clang", tools + "/clang"),
    ("%opt", f"{tools}/opt -load-pass-plugin={plugin}"),
    ("%llc", f"{tools}/llc -load={plugin}"),
    ("%mpirun", "mpirun --allow-run-as-root --oversubscribe"),
    ("%build", build),
    ("%root", config.skein_source),
    ("%python", sys.executable),
]

# FileCheck, not, llvm-objdump and others by their plain names.
config.environment["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", "")])
# A test sets what it needs; the caller's shell does not leak in.
for name in ["SKEIN_OPTIONS", "CPATH", "LD_PRELOAD"]:
    config.environment.pop(name, None)
with open("/proc/cpuinfo") as about:
    if "avx512f" in about.read().split():
        config.available_features.add("avx512")
for tool in ["chromedriver", "clangd-22", "doxygen", "gdb", "meson", "mpirun", "pkg-config", "slurmctld", "spin"]:
    if lit.util.which(tool, os.environ.get("PATH", "") + ":/usr/sbin"):
        config.available_features.add(tool)
for package in ["perfetto", "prometheus_client", "pyte"]: # where ./bootstrap test puts them
    if os.path.isdir(config.skein_source + "/build/python/" + package):
        config.available_features.add(package)
if subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode == 0:
    config.available_features.add("matplotlib")
# Network namespaces as hosts, each with an sshd: not every container lets its root make them.
if (os.path.exists("/usr/sbin/sshd") and lit.util.which("ssh") and lit.util.which("ip") and lit.util.which("ssh-keygen") and
        subprocess.run("unshare --mount --net --uts --pid --fork --mount-proc sh -c 'mount -t tmpfs none /run && "
                       "ip link add bridge type bridge && ip link add x type veth peer name y'",
                       shell=True, capture_output=True).returncode == 0):
    config.available_features.add("hosts")
if lit.util.which("clang-tidy-22"):
    config.available_features.add("clang-tidy")
if config.skein_metis:
    config.available_features.add("metis")
if config.skein_sanitize:
    config.available_features.add("sanitized")
    # A process that ends while threads live frees nothing of theirs, and UCX leaks on its own.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0"

# A hang is a failure.
if lit.util.killProcessAndChildrenIsSupported()[0] and not lit_config.maxIndividualTestTime:
    holder = lit_config if lit.__versioninfo__ < (23,) else config  # which lit allows differs
    holder.maxIndividualTestTime = 120
