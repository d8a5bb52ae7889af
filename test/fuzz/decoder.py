#!/usr/bin/env python3
"""Builds and runs the fuzzer of the image decoder (image_decoder.cpp), that of files of checkpoints
(checkpoint_files.cpp), or that of what launcher and agents say (agent_frames.cpp).

    decoder.py [--target image-decoder|checkpoint-files|agent-frames] [--build build/dev] [--seconds 10] [--save FOLDER] [INPUT...]

Without address randomisation, if the system permits, since images are full of addresses: then an input that crashed it (kept in
FOLDER, default: <build>/test/fuzz) crashes it again: `decoder.py --target TARGET INPUT`. The seed is today's date or SKEIN_FUZZ_SEED.
"""
import argparse
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


LONGEST = {"image-decoder": 8192, "checkpoint-files": 200000, "agent-frames": 2000}  # bytes of an input


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--target", choices=LONGEST, default="image-decoder")
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--seconds", type=int, default=10)
    arguments.add_argument("--save")
    arguments.add_argument("inputs", nargs="*")
    chosen = arguments.parse_args()
    build = os.path.abspath(chosen.build)
    made = subprocess.run(["ninja", "-C", build, f"fuzz-{chosen.target}"], capture_output=True, text=True, timeout=1200)
    if made.returncode:
        sys.exit(f"decoder.py: it does not build\n{made.stdout[-4000:]}")
    save = os.path.abspath(chosen.save or os.path.join(build, "test", "fuzz"))
    os.makedirs(save, exist_ok=True)
    fixed = ["setarch", "-R"] if subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0 else []
    seed = int(os.environ.get("SKEIN_FUZZ_SEED") or time.time() // 86400 * 1000)
    command = fixed + [os.path.join(build, "test", "fuzz", f"fuzz-{chosen.target}")]
    command += chosen.inputs or [f"-max_total_time={chosen.seconds}", f"-max_len={LONGEST[chosen.target]}", f"-seed={seed}", "-print_final_stats=1",
                                 f"-artifact_prefix={save}/"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=chosen.seconds + 300)
    if done.returncode:
        print(" ".join(command))
        print(done.stderr[-6000:])
        sys.exit(1)
    runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    coverage = re.findall(r"cov: (\d+)", done.stderr)
    if not chosen.inputs and (not runs or not coverage or int(coverage[-1]) < 100):
        sys.exit(f"decoder.py: it hardly ran\n{done.stderr[-2000:]}")
    print(f"{chosen.target}: seed {seed}, {runs[1] if runs else len(chosen.inputs)} inputs, {coverage[-1] if coverage else '?'} edges covered, "
          "no crash, every rejection explained")


if __name__ == "__main__":
    main()
