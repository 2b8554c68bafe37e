"""Work is done beside the interpreter."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import fragreel
from conftest import SAMPLES

DUEL = SAMPLES / "quake3" / "dm_bots.dm_71"


def test_other_threads_go_on_meanwhile() -> None:
    demos = [fragreel.Demo(path) for path in fragreel.recordings(SAMPLES / "quake3")]
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    started = time.monotonic()
    for demo in demos:
        demo.verify()
    spent = time.monotonic() - started
    done.set()
    ticker.join()
    # With the interpreter locked there would be a tick or two per recording.
    assert ticks > 3 * len(demos) or spent < 0.05


def test_answers_come_from_several_threads() -> None:
    demo = fragreel.Demo(DUEL)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(len(demo.events(["kill"])))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [11] * 8


def test_ctrl_c_is_heard() -> None:
    program = f"""
import fragreel, sys
paths = [{str(DUEL)!r}] * 100000
print("begun", flush=True)
try:
    for batch in fragreel.Scan(paths, "positions"):
        pass
except KeyboardInterrupt:
    sys.exit(7)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=20) == 7
