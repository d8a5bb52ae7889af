#!/usr/bin/env python3
"""Shows runs with `skein run --web` and `skein web`, and reads what they show.

    page.py metrics SKEIN PROGRAM    the texts that programs read, by Prometheus's own reader
    page.py browser SKEIN PROGRAM…   the page, in a browser; with a picture if SKEIN_SCREENSHOT names a file
"""
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from monitored import PATIENCE_S, Run


def get(port, path, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers), timeout=30) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


def port_of(process):
    """What it says on standard error about where it is."""
    return int(re.search(r"http://127\.0\.0\.1:(\d+)/", process.stderr.readline())[1])


def metrics(skein, program):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    with Run(skein, 3, ["--web", "0", program], stderr=subprocess.PIPE) as run:
        port = port_of(run.process)
        status, kind, text = get(port, "/metrics")
        print(status, kind)
        families = {family.name: family for family in text_string_to_metric_families(text)}
        living = {sample.labels["node"]: sample.value for sample in families["skein_threads_living"].samples}
        print("threads", living["0"], living["1"], living["2"])
        print(families["skein_cpu_seconds"].type, families["skein_cpu_seconds"].unit, len(families), "families")
        assert sum(sample.value for sample in families["skein_cpu_seconds"].samples) > 0
        assert {(s.labels["node"], s.labels["to"]): s.value for s in families["skein_link_threads"].samples}[("0", "2")] == 7
        status, kind, text = get(port, "/figures.json")
        figures = json.loads(text)
        print(status, kind, len(figures["nodes"]), "nodes,", figures["functions"]["waits"])
        print("a stranger's name:", get(port, "/figures.json", Host="example.org")[0])
        print("localhost:", get(port, "/figures.json", Host="localhost")[0])
        print("no such page:", get(port, "/no")[0])
        with Run(skein, 1, ["--web", str(port), program], stderr=subprocess.PIPE) as second:
            print(second.process.stderr.readline().replace(str(port), "PORT"), end="")
            assert second.ask(0, "figures")["nodes"] == 1, "the run does not go on"
        events = urllib.request.urlopen(f"http://127.0.0.1:{port}/events", timeout=30)
        assert events.readline() == b"event: figures\n"
        run.process.send_signal(signal.SIGTERM)
        rest = events.read().decode()
        print("last event:", re.findall("event: (.*)", rest)[-1])
    with Run(skein, 2, [program]) as run:
        web = subprocess.Popen([skein, "web", str(run.process.pid), "-p", "0"], stderr=subprocess.PIPE, text=True)
        print("web of a run:", get(port_of(web), "/metrics")[0])
        run.process.send_signal(signal.SIGTERM)
        print("ends with the run:", web.wait(PATIENCE_S))


def browser(skein, *program):
    from browser import Browser

    with Run(skein, 3, ["--web", "0", *program], options="", stderr=subprocess.PIPE) as run:
        page = Browser("chromedriver")
        try:
            page.open(f"http://127.0.0.1:{port_of(run.process)}/")

            def shows(expression):
                return lambda: page.evaluate(expression)

            run.until("charts", shows("document.querySelectorAll('.uplot canvas').length == 5 && times.length > 3"))
            print("title:", page.evaluate("document.title"))
            print("nodes:", page.evaluate("document.getElementById('nodes').rows.length - 1"))
            run.until("moves are drawn", shows("moves.length > 0"))
            drawn = """(() => { const c = document.getElementById('lanes'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                const seen = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 100) seen.add(d[i] + ',' + d[i + 1] + ',' + d[i + 2]);
                return seen.size; })()"""
            print("colours in the lanes:", "several" if page.evaluate(drawn) > 5 else "few")
            print("functions:", page.evaluate("[...document.getElementById('functions').rows].slice(1).map(r => r.cells[0].textContent).filter(name => name[0] != '(').sort().join(' ')"))
            if screenshot := os.environ.get("SKEIN_SCREENSHOT"):
                time.sleep(10)
                page.screenshot(screenshot)
            run.process.send_signal(signal.SIGTERM)
            run.until("the end", shows("document.getElementById('state').textContent == 'The run is over.'"))
            print("at the end:", page.evaluate("document.getElementById('state').textContent"))
            print("console:", [message for message in page.console() if "/events" not in message])
        finally:
            page.close()


if __name__ == "__main__":
    {"metrics": metrics, "browser": browser}[sys.argv[1]](*sys.argv[2:])
