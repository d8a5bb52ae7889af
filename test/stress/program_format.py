"""lit's view of run.py: one test per program of programs/, all levels inside."""
import os

import lit.formats
import lit.Test

import run


class ProgramFormat(lit.formats.FileBasedTest):
    def execute(self, test, lit_config):
        try:
            wrong = run.run(run.Program(test.getSourcePath()), test.config.skein_build)
        except run.Failure as failure:
            wrong = str(failure)
        return (lit.Test.FAIL, wrong) if wrong else (lit.Test.PASS, "")
