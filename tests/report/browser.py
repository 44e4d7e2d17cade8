"""A headless Chromium for the tests, by the WebDriver protocol; nothing but the standard library is needed."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
MISSING = "no Chromium with its chromedriver on this machine (Debian: chromium, chromium-driver)"


class Browser:
    """One window; `with Browser() as browser` ends it."""

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.profile = tempfile.mkdtemp()
        self.url = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen([DRIVER, f"--port={port}", "--silent"], stdout=subprocess.DEVNULL)
        options = {"binary": BROWSER, "args": [*FLAGS, f"--user-data-dir={self.profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        try:
            self._wait()
            made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self.driver.kill()
            raise
        self.session = f"/session/{made['sessionId']}"
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(20)
            shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, path: Path, width: int = 1200, height: int = 900, dark: bool = False) -> list[str]:
        """Load a page from its file and return the console messages."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._devtools("Emulation.setEmulatedMedia", {"features": [scheme]})
        self._call("POST", f"{self.session}/url", {"url": path.resolve().as_uri()})
        return [entry["message"] for entry in self._call("POST", f"{self.session}/se/log", {"type": "browser"})]

    def run(self, script: str):
        """Return what a script of the page returns."""
        return self._call("POST", f"{self.session}/execute/sync", {"script": script, "args": []})

    def picture(self, path: Path) -> None:
        """Save the whole page as PNG."""
        shot = self._devtools("Page.captureScreenshot", {"captureBeyondViewport": True})
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self) -> bytes:
        """Return the page as it prints."""
        return base64.b64decode(self._devtools("Page.printToPDF", {})["data"])

    def _devtools(self, command: str, params: dict):
        return self._call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": params})

    def _wait(self) -> None:
        for _ in range(200):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("chromedriver does not answer")

    def _call(self, method: str, path: str, body: dict | None = None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]
