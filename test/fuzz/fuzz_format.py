"""lit's view of this folder: tests `csmith-1` ... and `own-1` ..., ten programs each, of seeds that rotate from day to day
(fuzz.py), `decoder`, `checkpoints`, `frames` and `messages`, ten seconds each of the fuzzers of images, of files of checkpoints, of
what launcher and agents say, and of messages (decoder.py, messages.py)."""
import os
import subprocess
import sys

import lit.formats
import lit.Test

import fuzz

PROGRAMS, PER_TEST = 40, 10
FUZZERS = {"decoder": ["decoder.py"], "checkpoints": ["decoder.py", "--target", "checkpoint-files"],
           "frames": ["decoder.py", "--target", "agent-frames"], "messages": ["messages.py"]}


class FuzzFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if path_in_suite != ("fuzz",):
            return  # lit asks for every folder below, __pycache__ too
        if not local_config.skein_sanitize:
            for name in FUZZERS:
                yield lit.Test.Test(suite, path_in_suite + (name,), local_config)
        for kind in ["csmith", "own"]:
            for part in range(PROGRAMS // PER_TEST):
                yield lit.Test.Test(suite, path_in_suite + (f"{kind}-{part + 1}",), local_config)

    def execute(self, test, lit_config):
        build = test.config.skein_build
        if fuzzer := FUZZERS.get(test.path_in_suite[-1]):
            command = [sys.executable, os.path.join(fuzz.HERE, fuzzer[0]), *fuzzer[1:], "--build", build, "--seconds", "10"]
            done = subprocess.run(command, capture_output=True, text=True)
            return (lit.Test.FAIL if done.returncode else lit.Test.PASS), done.stdout + done.stderr
        kind, part = test.path_in_suite[-1].split("-")
        first = fuzz.first_seed()
        cases = fuzz.rotation([kind], first + (int(part) - 1) * PER_TEST, PER_TEST, fuzz.variants.rotation())
        results = fuzz.run_all(cases, build, 1)
        shown = [r.wrong for r in results if r.wrong] + [f"SKEIN_FUZZ_SEED={first}", fuzz.summary(results)]
        verdict = lit.Test.PASS if fuzz.acceptable(results) else lit.Test.FAIL
        result = lit.Test.Result(verdict, "\n".join(shown))
        for name, count in [("programs", len(results)), ("moves", sum(r.moves for r in results)),
                            ("refused", sum(sum(r.reasons.values()) for r in results))]:
            result.addMetric(name, lit.Test.IntMetricValue(count))
        return result
