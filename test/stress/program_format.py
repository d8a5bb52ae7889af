"""lit's view of run.py: one test per program of programs/, all configurations inside. program.py has what their heads say."""
import os

import lit.formats
import lit.Test

import run
from program import Failure, Program


class ProgramFormat(lit.formats.FileBasedTest):
    def execute(self, test, lit_config):
        try:
            program = Program(test.getSourcePath())
            wrong = run.run(program, test.config.skein_build)
        except Failure as failure:
            return lit.Test.FAIL, str(failure)
        if program.fails:
            return (lit.Test.XFAIL, program.fails) if wrong else (lit.Test.XPASS, "passes; remove `fails:` from its head")
        return (lit.Test.FAIL, wrong) if wrong else (lit.Test.PASS, "")
