#!/usr/bin/env python3
"""Unit tests of what the benchmarks' drivers share (driver/common.py, driver/comparison.py)."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "driver"))

import common
import comparison
import compile


def printed(function):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        function()
    return output.getvalue()


class Figures(unittest.TestCase):

    def test_median_lies_in_the_middle_or_between_two(self):
        self.assertEqual(common.median([3, 1, 2]), 2)
        self.assertEqual(common.median([4, 1, 3, 2]), 2.5)
        self.assertEqual(common.median([]), 0)

    def test_quantile_interpolates(self):
        self.assertEqual(common.quantile([5], 0.25), 5)
        self.assertEqual(common.quantile([4, 1, 2, 3, 5], 0.75), 4)
        self.assertEqual(common.quantile([1, 2], 0.25), 1.25)
        self.assertEqual(common.middle_half([1, 2, 3]), "(1.500-2.500)")

    def test_each_round_begins_with_another_side(self):
        order = []
        measured = common.in_turn(3, "ab", lambda side: order.append(side) or len(order))
        self.assertEqual("".join(order), "abbaab")
        self.assertEqual(measured, {"a": [1, 4, 5], "b": [2, 3, 6]})
        self.assertEqual(common.ratios([2, 9], [1, 3]), [2, 3])

    def test_limits_name_what_is_above(self):
        figures = comparison.Figures(["one", "two"], [1, 4])
        self.assertEqual(figures.mean, 2)
        self.assertEqual(figures.worst(), "4.000 (two)")
        limits = lambda mean, worst: type("Chosen", (), {"fail_mean": mean, "fail_worst": worst})
        self.assertEqual(printed(lambda: self.assertFalse(figures.is_within(limits(1.9, 3), "polls"))),
                         "polls: the mean is above 1.900\npolls: the worst is above 3.000\n")
        self.assertEqual(printed(lambda: self.assertTrue(figures.is_within(limits(2, None), "polls"))), "")


class Execution(unittest.TestCase):

    def test_status_output_and_time(self):
        execution = common.execute(["sh", "-c", "echo $WORD; exit 3"], {"WORD": "said"})
        self.assertEqual((execution.status, execution.output), (3, "said\n"))
        self.assertGreater(common.execute([sys.executable, "-c", "sum(range(10**6))"]).cpu_seconds, 0)

    def test_a_signal_is_a_status(self):
        self.assertEqual(common.execute(["sh", "-c", "kill -KILL $$"]).status, 128 + 9)

    def test_failures_are_said(self):
        with self.assertRaisesRegex(common.Wrong, "cannot run /nonexistent/x: No such file"):
            common.execute(["/nonexistent/x"])
        with self.assertRaisesRegex(common.Wrong, "false ended with status 1"):
            common.execute_well(["false"])
        with self.assertRaisesRegex(common.Wrong, "too few"):
            common.numbers(iter(["1", "x"]), 2)

    def test_settings_of_the_user_win_over_those_of_a_node(self):
        kept = dict(os.environ)
        try:
            os.environ["SKEIN_BENCH_UCX"] = "UCX_TLS=posix,self\nUCX_MODULES=cma\nUCX_LOG_LEVEL=fatal\n"
            os.environ["UCX_LOG_LEVEL"] = "info"
            self.assertEqual(common.bare_ucx("shm"), {"UCX_TLS": "posix,self", "UCX_MODULES": "cma"})
            self.assertEqual(common.bare_ucx("tcp"),
                             {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "UCX_MODULES": "none"})
            os.environ["SKEIN_OPTIONS"] = "workers=4"
            self.assertEqual(common.skein_options("workers=1"), {"SKEIN_OPTIONS": "workers=4,workers=1"})
        finally:
            os.environ.clear()
            os.environ.update(kept)


class Output(unittest.TestCase):

    def test_a_table_for_a_terminal(self):

        def fill():
            common.Table([("name", -5), ("ns", 4), ("both", -6)]).row("a", "1.0", ["x", "y"])

        self.assertEqual(printed(fill), "name     ns  both\na       1.0  x y\n")

    def test_a_table_for_a_page(self):

        def fill():
            common.Table([("name", 0), (["time", ""], 0)], True).row("a", ["x", "y"])

        self.assertEqual(printed(fill), "| name | time |  |\n|---|---:|---:|\n| a | x | y |\n")

    def test_csv(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.csv"
            common.write_csv(path, ["a", "b"], [[1, "2"]])
            self.assertEqual(path.read_text(), "a,b\n1,2\n")
        with self.assertRaisesRegex(common.Wrong, "cannot write /nonexistent/x"):
            common.write_csv("/nonexistent/x", [], [])

    def test_sizes_of_an_object_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.s"
            path.write_text('.text\n.skip 5\n.section .text.more,"ax"\n.skip 6\n.section skein_maps,"a"\n.skip 7\n'
                            '.section skein_maps_more,"aw"\n.skip 8\n.section skein_maps_debug\n.skip 9\n')
            common.execute_well(["clang-22", "-c", str(path), "-o", f"{folder}/x.o"])
            self.assertEqual(compile.sizes(f"{folder}/x.o"), (11, 15))


class CommandLine(unittest.TestCase):

    def parsed(self, *arguments):
        parser = common.Parser("some", "Does.")
        parser.option("--rounds", "N", "runs", 5, common.number(1, int))
        parser.option("--text", "TEXT", "any")
        parser.option("--list", "LIST", "of some", ["a"], common.several(["a", "b", "c"]))
        parser.option("--way", "WAY", "one", "x", common.one_of(["x", "y"]))
        parser.flag("--quick", "fast, 100 %")
        return parser.parse_args(arguments)

    def test_values_in_either_form(self):
        self.assertEqual(self.parsed("--rounds", "3").rounds, 3)
        self.assertEqual(self.parsed("--rounds=3", "--list=a,c").list, ["a", "c"])
        self.assertEqual(self.parsed("--text", "-DX=1").text, "-DX=1")
        self.assertTrue(self.parsed("--text", "--quick", "--quick").quick)
        self.assertEqual((self.parsed().rounds, self.parsed().list, self.parsed().way), (5, ["a"], "x"))

    def test_mistakes_are_named(self):
        for arguments, message in ((["--rounds", "0"], "^some: --rounds: '0' is not a number of at least 1"),
                                   (["--rounds", "nan"], "'nan' is not a number"), (["--list",
                                                                                     "a,d"], "'d' is not a, b or c"),
                                   (["--list", ","], "none given"), (["--way", "z"], "'z' is not x or y"),
                                   (["--rou", "1"], "--rou"), (["--text"], "expected one argument")):
            with self.assertRaisesRegex(common.Wrong, message):
                self.parsed(*arguments)

    def test_help_says_defaults(self):

        def ask():
            with self.assertRaises(SystemExit):
                self.parsed("--help")

        self.assertRegex(printed(ask),
                         r"(?s)usage: skein bench some \[options\]\n\nDoes.*--rounds N  +runs \(default 5\).*100 %\n")


if __name__ == "__main__":
    unittest.main()
