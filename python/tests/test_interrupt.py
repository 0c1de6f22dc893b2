"""The lock of the interpreter is free during the work, and Ctrl-C ends it."""

import os
import signal
import subprocess
import sys
import threading
import time

import meshwright as mw

HEAD = """
import sys, time
import meshwright as mw
print("ready", flush=True)
begin = time.monotonic()
"""
SEARCH = 'answer = mw.map("binomial:8", on="mesh:16x16", placement="search", time=60)\n'
TRAFFIC = 'mw.simulate(on="mesh:64x64", traffic="uniform", load=0.3, measure=100_000_000, threads={threads})\n'


def interrupted(script, after=1.0):
    """Runs a script and interrupts it a little after it is ready: exit code, output and seconds until the end."""
    process = subprocess.Popen([sys.executable, "-c", HEAD + script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(after)
    begin = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout, stderr, time.monotonic() - begin


def test_other_threads_go_on():
    counted, done = 0, threading.Event()

    def work():
        mw.sweep(on="mesh:16x16", traffic="uniform", loads=[0.1, 0.2], measure=20_000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        counted += 1
    thread.join()
    assert counted > 20


def test_calls_at_once_give_what_calls_in_turn_give():
    sizes, found = [3, 4, 5, 6], {}

    def place(size):
        found[size] = mw.map(f"binomial:{size}", on="mesh:8x8").json_text

    threads = [threading.Thread(target=place, args=(size,)) for size in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {size: mw.map(f"binomial:{size}", on="mesh:8x8").json_text for size in sizes}


def test_an_interrupt_ends_a_search_with_the_best_so_far():
    script = SEARCH + 'print(answer["interrupted"], len(answer["placements"]), time.monotonic() - begin < 30)\n'
    # What is asked for next is not interrupted.
    script += 'print(mw.map("binomial:2", on="mesh:2x2", placement="search", steps=10).get("interrupted", False))\n'
    code, stdout, stderr, seconds = interrupted(script)
    assert (code, stdout, stderr) == (0, "True 1 True\nFalse\n", "")


def test_an_interrupt_ends_other_work_and_its_thread():
    for threads in (1, 2):
        script = "try:\n    " + TRAFFIC.format(threads=threads) + "except KeyboardInterrupt:\n    print('ended')\n"
        # The package is whole afterwards, and nothing is at work any more.
        script += 'print(len(mw.map("binomial:2", on="mesh:2x2")["placements"]) > 0)\n'
        script += "begin = time.process_time()\ntime.sleep(0.3)\nprint(time.process_time() - begin < 0.1)\n"
        code, stdout, stderr, seconds = interrupted(script)
        assert (code, stdout, stderr) == (0, "ended\nTrue\nTrue\n", "")
        assert seconds < 10


def test_an_interrupt_that_nobody_catches_ends_the_program():
    code, _, stderr, seconds = interrupted(TRAFFIC.format(threads=1))
    assert code != 0 and stderr.rstrip().endswith("KeyboardInterrupt")
    assert seconds < 10


def test_another_signal_raises_its_own_exception():
    script = "import signal\nclass Late(Exception): pass\ndef late(*_): raise Late()\n"
    script += "signal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.3)\n"
    script += "try:\n    " + SEARCH + "except Late:\n    print('late')\n"
    done = subprocess.run([sys.executable, "-c", HEAD + script], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready\nlate\n", "")
