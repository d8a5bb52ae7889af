"""lit's view of words.py: one test per program of words/, in the configurations of its rotation."""
import os
import tempfile

import lit.formats
import lit.Test

import words
from program import Failure


class WordsFormat(lit.formats.FileBasedTest):
    def execute(self, test, lit_config):
        path = test.getSourcePath()
        try:
            with tempfile.TemporaryDirectory(prefix="skein-words-") as place:
                judge = words.Words(test.config.skein_build, place)
                outcomes = [outcome for job in words.jobs_of(path) for outcome in judge.run(*job)]
        except Failure as failure:
            return lit.Test.FAIL, str(failure)
        bad = [words.shown(outcome) for outcome in outcomes if outcome.kind not in (words.RIGHT, words.REFUSED)]
        if not bad:
            return lit.Test.PASS, ""
        return (lit.Test.XFAIL if os.path.basename(path) in words.known() else lit.Test.FAIL), "\n".join(bad)
