"""A client of `trustpath serve`, for the scripts that drive a session."""

import json
import subprocess
import urllib.request

#: Seconds that an answer may take: an export waits for the model.
PATIENCE = 600


class Session:
    """A session of the server in a process of its own, which is ended with the block that it is used in."""

    def __init__(self, trustpath, folder, *arguments):
        run = [trustpath, "serve", *arguments, "--quiet"]
        self.process = subprocess.Popen(run, cwd=folder, stdout=subprocess.PIPE, text=True)
        #: The lines of its standard output: the addresses come first.
        self.lines = (line.strip() for line in self.process.stdout)
        self.address = next((line for line in self.lines if line.startswith("http://")), None)
        if self.address is None:
            raise RuntimeError(f"trustpath serve did not start: exit status {self.process.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            # As by Ctrl-C: the labels file is written.
            self.process.send_signal(2)
        self.process.wait(120)

    def get(self, path):
        """The bytes at an address."""
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return answer.read()

    def state(self):
        """The state of the session."""
        return json.loads(self.get("state"))

    def post(self, path, body):
        """The answer to a request with this body, as the page would send it."""
        origin = "/".join(self.address.split("/")[:3])
        head = {"Content-Type": "application/json", "Origin": origin}
        asked = urllib.request.Request(self.address + path, json.dumps(body).encode(), head)
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return json.load(answer)
