"""A real browser, headless: by chromedriver, whose protocol is HTTP and JSON."""
import base64
import json
import subprocess
import urllib.error
import urllib.request


class Browser:
    def __init__(self, driver):
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = ""
        while "started successfully on port" not in said:
            said = self.process.stdout.readline()
            assert said, "chromedriver does not start"
        self.base = "http://127.0.0.1:" + said.split()[-1].rstrip(".")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,1700"]
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + session["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from error

    def open(self, url):
        self.ask("POST", self.session + "/url", {"url": url})

    def evaluate(self, expression):
        return self.ask("POST", self.session + "/execute/sync", {"script": "return " + expression, "args": []})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", self.session + "/screenshot")))

    def console(self):
        return [entry["message"] for entry in self.ask("POST", self.session + "/se/log", {"type": "browser"})]

    def close(self):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.process.kill()
            self.process.wait()
