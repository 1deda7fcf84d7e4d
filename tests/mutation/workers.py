"""Mutants judged by several processes at once, each with a folder of its own, until all are or the time is over."""
import multiprocessing
import os
import random
import signal
import sys
import time
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path

from host import HostMutants
from kernels import KernelMutants

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"src": HostMutants, "kernels": KernelMutants}
BUILD_PAYS = 2  # so many host mutants left for each worker


def work(pipe, folder, own, options):
    """A worker's life: tasks come as (kind, what), where `what` is "build", "check" or a mutant."""
    os.setsid()  # what is started here ends with it
    own.mkdir(parents=True, exist_ok=True)
    judges = {kind: judge(ROOT, folder, own, options) for kind, judge in KINDS.items()}
    for kind, what in iter(pipe.recv, None):
        start = time.monotonic()
        answer = getattr(judges[kind], what)() if isinstance(what, str) else judges[kind].judge(what)
        pipe.send((answer, round(time.monotonic() - start, 1)))


class Worker:
    def __init__(self, number, folder, options):
        self.host = number < (options.jobs + 1) // 2
        self.built, self.task = set(), None
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(
            target=work, args=(other, folder, folder / f"worker{number}", options), daemon=True)
        self.process.start()
        other.close()

    def give(self, task):
        self.task = task
        self.pipe.send(task)

    def answer(self):
        """(kind, what, answer, seconds)"""
        task, self.task = self.task, None
        try:
            return *task, *self.pipe.recv()
        except EOFError:
            raise SystemExit("mutation: a worker ended, for the reason above") from None

    def end(self, seconds):
        self.process.join(seconds)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


class Queue:
    """What is left. Of each kind a worker builds what it needs, one of them checks that unchanged code passes, and then
    mutants are dealt, in an order of the seed's, so that those of a run that is cut short are a fair sample. Half of the
    workers see to host code first, whose build takes long, and the others to kernels."""

    def __init__(self, mutants, workers, seed):
        mutants = random.Random(seed).sample(mutants, len(mutants))
        self.left = {kind: [mutant for mutant in mutants if mutant.file.startswith(kind)] for kind in KINDS}
        self.checking, self.checked = set(), set()
        self.enough = BUILD_PAYS * workers

    def kinds(self, worker):
        if not worker.host and not self.left["kernels"]:
            worker.host = len(self.left["src"]) > self.enough
        return [kind for kind in KINDS if self.left[kind] and (worker.host or kind != "src")]

    def next(self, worker):
        """A worker's next task; None where it has to wait, or nothing is left."""
        for kind in self.kinds(worker):
            if kind not in worker.built:
                worker.built.add(kind)
                return kind, "build"
            if kind not in self.checking:
                self.checking.add(kind)
                return kind, "check"
            if kind in self.checked:
                return kind, self.left[kind].pop(0)
        return None


def judged(mutants, folder, options):
    """Yields (mutant, (verdict, by what), seconds), while there is time. What is not done at its end is left undone, so
    nothing is begun in its last tenth."""
    if not mutants:
        return
    start = time.monotonic()
    queue = Queue(mutants, options.jobs, options.seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what is below ends its children
    workers = [Worker(number, folder, options) for number in range(options.jobs)]
    try:
        while True:
            spent = time.monotonic() - start
            for worker in workers:
                if not worker.task and not (options.seconds and spent > 0.9 * options.seconds):
                    task = queue.next(worker)
                    if task:
                        worker.give(task)
            busy = {worker.pipe: worker for worker in workers if worker.task}
            ready = wait(list(busy), options.seconds and max(0, options.seconds - spent)) if busy else []
            if not ready:
                return
            for pipe in ready:
                kind, what, answer, seconds = busy[pipe].answer()
                if what == "check":
                    queue.checked.add(kind)
                    for failure in (answer or {}).values():
                        print(f"left out, since unchanged code fails it: {failure}", file=sys.stderr, flush=True)
                elif what != "build":
                    yield what, answer, seconds
    finally:
        for worker in workers:
            worker.process.terminate()
        end = time.monotonic() + 10  # of all of them
        for worker in workers:
            worker.end(max(0, end - time.monotonic()))
