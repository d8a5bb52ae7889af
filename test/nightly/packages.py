#!/usr/bin/env python3
"""Installs the Debian packages into a fresh Debian 12, and uses them there as a stranger would.

    test/nightly/packages.py [--build build/release] [--suite bookworm] [--mirror URL] [--keep]

debootstrap makes the system in <build>/packages (it takes root, a Debian mirror and 1.5 GiB), so that nothing is there which the
packages do not ask for. Then, each from an empty folder: README's first program by pkg-config, by CMake and by meson, on two nodes;
and tinyxml2 and jansson as shared libraries, with their own tests. The build must be one that users run (preset release).
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLCHAIN = "--toolchain /usr/lib/cmake/Skein/SkeinToolchain.cmake -G Ninja"
SECURITY = "http://deb.debian.org/debian-security"  # LLVM 22 came to Debian 12 as a security update

# Nothing of the caller's environment, such as a launcher of compilers, is there.
STRANGER = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]

IN_SYSTEM = [
    ("the packages install", """
        apt-get -q update && apt-get install -y -q --no-install-recommends /root/debs/*.deb && skein --version && skein doctor"""),
    ("what strangers build with", """
        apt-get install -y -q --no-install-recommends make pkg-config cmake ninja-build meson dpkg-dev"""),
    ("pkg-config", "cd /root/pkg-config && make visitors && skein run -n 2 ./visitors"),
    ("CMake", f"cd /root/cmake && cmake {TOOLCHAIN} -B build && ninja -C build && skein run -n 2 build/visitors"),
    ("meson", """cd /root/meson && meson setup --native-file skein.ini build && ninja -C build &&
        skein run -n 2 build/visitors"""),
    ("tinyxml2, a shared library", f"""
        cd /root && apt-get source -q tinyxml2 && cd tinyxml2-*/ &&
        cmake {TOOLCHAIN} -B build -DBUILD_SHARED_LIBS=ON && ninja -C build && ls build/libtinyxml2.so && ninja -C build test"""),
    ("jansson, a shared library", f"""
        cd /root && apt-get source -q jansson && cd jansson-*/ &&
        cmake {TOOLCHAIN} -B build -DJANSSON_BUILD_SHARED_LIBS=ON -DJANSSON_BUILD_DOCS=OFF && ninja -C build &&
        ls build/lib/libjansson.so && ninja -C build test"""),
]


class Steps:
    def __init__(self, log):
        self.log = open(log, "w")
        self.failed = []

    def __call__(self, text, *command, **more):
        begin = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
        self.log.write(f"=== {text}: {' '.join(map(str, command))}\n{done.stdout}")
        self.log.flush()
        print(f"{text:30} {'ok' if done.returncode == 0 else 'FAILED'} {time.monotonic() - begin:7.1f} s", flush=True)
        if done.returncode != 0:
            print("\n".join(done.stdout.splitlines()[-15:]))
            self.failed.append(text)
        return done.returncode == 0


def prepare(system, build):
    """What the stranger has: the packages, and folders with one program and one build file each."""
    (system / "root/debs").mkdir()
    for package in build.glob("skein*.deb"):
        shutil.copy(package, system / "root/debs")
    program = re.search(r"(?s)```c[^\n]*\n(.*?)```", (ROOT / "README.md").read_text()).group(1)
    inputs = ROOT / "test/packaging/Inputs"
    for folder, file in (("pkg-config", "Makefile"), ("cmake", "CMakeLists.txt"), ("meson", "meson.build")):
        (system / "root" / folder).mkdir()
        (system / "root" / folder / "visitors.c").write_text(program)
        shutil.copy(inputs / file, system / "root" / folder)
    return True


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    arguments.add_argument("--suite", default="bookworm")
    arguments.add_argument("--mirror", default="http://deb.debian.org/debian")
    arguments.add_argument("--keep", action="store_true", help="leave the system there")
    chosen = arguments.parse_args()
    build = chosen.build.resolve()
    if not shutil.which("debootstrap"):
        sys.exit("packages.py: debootstrap makes the fresh system: apt-get install debootstrap")
    if not (build / "CPackConfig.cmake").exists():
        sys.exit(f"packages.py: {build} is no build of Skein's: cmake --preset release && cmake --build --preset release")
    system = build / "packages"
    if system.exists():
        sys.exit(f"packages.py: {system} is left from another run; see that nothing is mounted there, and remove it")
    step = Steps(build / "packages.log")
    sources = system / "etc/apt/sources.list"
    ready = (step("the packages", "cpack", cwd=build) and
             step("a fresh system", "debootstrap", "--variant=minbase", chosen.suite, system, chosen.mirror) and
             prepare(system, build))
    mounted = []
    try:
        if ready:
            sources.write_text("".join(f"{kind} {chosen.mirror} {chosen.suite} main\n{kind} {SECURITY} {chosen.suite}-security main\n"
                                       for kind in ("deb", "deb-src")))
            for place, options in (("proc", ["-t", "proc"]), ("sys", ["--bind"]), ("dev", ["--bind"]), ("dev/shm", ["--bind"])):
                subprocess.run(["mount", *options, f"/{place}", system / place], check=True)
                mounted.append(system / place)
        for text, script in IN_SYSTEM if ready else []:
            if not step(text, "chroot", system, *STRANGER, "sh", "-c", script) and text == IN_SYSTEM[0][0]:
                break
    finally:
        for place in reversed(mounted):
            subprocess.run(["umount", place], check=True)
    if system.exists() and not chosen.keep:
        shutil.rmtree(system)
    print(f"packages.py: {len(step.failed)} failed; all output: {build / 'packages.log'}")
    sys.exit(1 if step.failed else 0)


if __name__ == "__main__":
    main()
