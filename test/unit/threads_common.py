# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work on many threads at once."""

import threading
import time

THREADS = 32


def run_threads(work, count=THREADS):
    """Calls `work(number)` on that many threads at once; raises what one of them raised."""
    barrier = threading.Barrier(count)
    failed = []

    def body(number):
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=body, args=(n,), daemon=True) for n in range(count)]
    for t in threads:
        t.start()
    end = time.monotonic() + 600
    for t in threads:
        t.join(max(end - time.monotonic(), 1))
    assert not any(t.is_alive() for t in threads), "deadlock"
    if failed:
        raise failed[0]
