"""What scripts share that try a thing many times, each time drawn from another seed: an end that is asked for still tells what was
found so far."""
import signal
import time


class Ended(BaseException):
    """Somebody, or the time limit, ends the tries. It is none of the exceptions that are handled on the way."""


class Tries:
    """Counts tries and tells how far they are:

        with Tries("kills", summary, minutes=90) as tries:
            while more():
                ...
                tries.one_more(failed=False)
        sys.exit(tries.status)

    `summary` gives the words for what has been done so far. They are printed every `every_s` seconds, and once at the end: also
    after SIGINT, SIGTERM and SIGHUP, and when the minutes are over (None: there is no limit). What is in the middle of something
    then sees the exception Ended. The status is 1 if a try has failed, else 128 and the signal's number, as of a shell; 0 if the
    minutes are over, since what has been tried is right. Where each of the first tries fails, the next ones would, too, and perhaps
    none would ever come to what is counted; so they end then."""
    every_s = 60
    all_wrong = 20  # tries

    def __init__(self, name, summary, minutes=None):
        self.name, self.summary, self.minutes = name, summary, minutes
        self.tries = self.failures = self.status = 0
        self.begin = self.told = time.monotonic()

    def __enter__(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, self.end)
        if self.minutes:
            signal.setitimer(signal.ITIMER_REAL, self.minutes * 60)
        return self

    def end(self, number, frame):
        for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(other, signal.SIG_IGN)  # the end is under way
        self.status = 0 if number == signal.SIGALRM else 128 + number
        raise Ended("the time limit is over" if number == signal.SIGALRM else f"ended by {signal.Signals(number).name}")

    def one_more(self, failed):
        self.tries, self.failures = self.tries + 1, self.failures + failed
        if self.failures == self.tries == self.all_wrong:
            raise Ended("no try was right")
        if time.monotonic() - self.told >= self.every_s:
            self.told = time.monotonic()
            self.tell("so far")

    def tell(self, when):
        print(f"{self.name}: {when}: {self.summary()}; {self.failures} failures in {self.tries} runs, "
              f"{time.monotonic() - self.begin:.0f} s", flush=True)

    def __exit__(self, kind, error, trace):
        if kind not in (None, Ended):
            return False
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.tell(error or "the end")
        self.status = 1 if self.failures else self.status
        return True
