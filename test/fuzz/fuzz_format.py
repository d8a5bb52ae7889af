"""lit's view of fuzz.py: one test per form and level, named like `plain-O2`; each runs the seeds that the rotation gives it."""
import lit.formats
import lit.Test

import fuzz


class FuzzFormat(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if path_in_suite != ("fuzz",):
            return  # lit asks for every folder below, __pycache__ too
        for name in sorted({f"{case.form}-{case.level}" for case in fuzz.rotation()}):
            yield lit.Test.Test(suite, path_in_suite + (name,), local_config)

    def execute(self, test, lit_config):
        cases = [case for case in fuzz.rotation() if f"{case.form}-{case.level}" == test.path_in_suite[-1]]
        wrong, moves, reasons = fuzz.run_all(cases, test.config.skein_build, 1)
        shown = "\n".join(wrong + [fuzz.summary(cases, wrong, moves, reasons)])
        result = lit.Test.Result(lit.Test.FAIL if wrong or not moves else lit.Test.PASS, shown)
        for name, count in [("programs", len(cases)), ("moves", moves), ("refused", sum(reasons.values()))]:
            result.addMetric(name, lit.Test.IntMetricValue(count))
        return result
