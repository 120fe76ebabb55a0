"""python -m handspan_study ADDRESS RUNS: has a dask scheduler's workers do the runs of a study.

RUNS is a file that `handspan study --scheduler` writes, of JSON lines: first {"command", "study", "build"}, then a run
each. What comes back goes to standard output, a line each, in any order. What went wrong is one line {"error": words}.
"""

import json
import os
import sys
import threading
import time

CONNECT = 10  # [s]
RETRIES = 2  # of a run at which a worker's process died


def say(line):
    sys.stdout.write(line.rstrip("\n") + "\n")
    sys.stdout.flush()


def fail(words):
    say(json.dumps({"error": words}))
    os._exit(2)  # the client's threads may wait for a scheduler that is gone


try:
    import cloudpickle
    from distributed import Client, as_completed
    from distributed.scheduler import KilledWorker
except ImportError as error:
    fail(f"--scheduler needs dask's package distributed, which is not here ({error}); run tools/setup --remote")

from handspan_study import worker  # noqa: E402


def watch(client, address):
    """Ends this process when the scheduler does not answer any more."""
    while True:
        time.sleep(1)
        if client.status not in ("running", "newly-created"):
            fail(
                f"--scheduler {address}: it has ended, or cannot be reached any more; start it again, and the same "
                "command goes on with the runs that are left"
            )


def reason(error, number):
    if isinstance(error, KilledWorker):
        return (
            f"run {number}: the workers that had it ended, one after the other; look at their output, and do it here "
            f"with --rerun {number}"
        )
    return f"run {number}: {error}"


def main():
    address, file = sys.argv[1:]
    with open(file, encoding="utf-8") as lines:
        head = json.loads(lines.readline())
        runs = [line.strip() for line in lines if line.strip()]
    cloudpickle.register_pickle_by_value(worker)  # workers need not have this package
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        fail(
            f"--scheduler {address}: nobody answers as a dask scheduler ({error}); start one with `dask scheduler`, its "
            "workers with `dask worker ADDRESS`, and give the address that it says, such as tcp://127.0.0.1:8786"
        )
    threading.Thread(target=watch, args=(client, address), daemon=True).start()
    if not client.nthreads():
        words = f"{address} has no workers yet: the study waits for one; start it with `dask worker {address}`"
        print(words, file=sys.stderr, flush=True)
    run = worker.task(worker.run)
    number_of = {}
    for line in runs:
        future = client.submit(run, head, line, pure=False, retries=RETRIES)
        number_of[future] = json.loads(line)["run"]
    for future in as_completed(list(number_of), loop=client.loop):
        if future.status != "finished":
            if future.cancelled():  # its scheduler is gone: the other thread says so
                time.sleep(3)
            fail(reason(future.exception(), number_of[future]))
        answer = future.result()
        if "refused" in answer:
            fail(answer["refused"])
        say(answer["line"])
        number_of.pop(future)
    client.run(worker.task(worker.end), head)  # the processes that wait for more
    client.close()


try:
    main()
except (KeyboardInterrupt, BrokenPipeError):
    os._exit(130)
