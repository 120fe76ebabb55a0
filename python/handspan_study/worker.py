"""What a worker does for a run: one lasting process of handspan for each of its threads."""

import json
import os
import subprocess

from distributed import get_worker


def start(head):
    """A process that does runs of the study, and why none can be had; one of them is None."""
    address = get_worker().address
    # elsewhere handspan may be at another place
    command = [os.environ.get("HANDSPAN", head["command"][0]), *head["command"][1:]]
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        return None, (
            f"the worker at {address} cannot start {command[0]} ({error.strerror}); install handspan there, and name "
            "its program in the worker's environment variable HANDSPAN where it is at another place"
        )
    first = process.stdout.readline()
    try:
        there = json.loads(first)
        same = there["study"] == head["study"]
    except (ValueError, KeyError, TypeError):
        process.kill()
        return None, (
            f"the worker at {address} cannot begin the study: {(first or process.stdout.read()).strip() or 'it ended'}; "
            "its own output says more. The study's files must be there under the same paths"
        )
    if not same:
        process.kill()
        cause = (
            "the same build, with other files of the study"
            if there["build"] == head["build"]
            else f"the build {there['build']}, and here is {head['build']}"
        )
        return None, (
            f"the worker at {address} is refused: it has {cause}; give both the same, or results would depend on who "
            "did a run"
        )
    return process, None


def run(head, line):
    """Does a run: {"line": the answer}, or {"refused": why this worker cannot}."""
    worker = get_worker()
    key = "handspan_" + head["study"]
    # list.pop and append are atomic: each thread has a process of its own while it works
    idle = worker.__dict__.setdefault(key, [])
    try:
        process = idle.pop()
    except IndexError:
        process, problem = start(head)
        if process is None:
            return {"refused": problem}
    try:
        process.stdin.write(line + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except OSError:
        answer = ""
    if not answer.endswith("\n"):
        process.kill()
        raise RuntimeError(f"handspan ended at it on the worker at {worker.address}; its own output says why")
    idle.append(process)
    return {"line": answer}


def end(head):
    """Ends the processes of a study that is done."""
    for process in get_worker().__dict__.pop("handspan_" + head["study"], []):
        process.stdin.close()  # it has no more runs
        process.wait()


def task(function):
    """A function that travels whole: one with a name in a module would be looked up by that on the worker."""

    def call(*arguments):
        return function(*arguments)

    return call
