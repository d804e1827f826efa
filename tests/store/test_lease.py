import os
import signal
import subprocess
import sys
import time

import pytest

from memfold.errors import LeaseHeld
from memfold.store.lease import lease
from memfold.store.sqlite import SqliteStore

HOLD = (
    "import sys, time; from memfold.store.sqlite import SqliteStore; from memfold.store.lease import lease\n"
    "store = SqliteStore(sys.argv[1])\n"
    "with lease(store.connection, 'ada'):\n"
    "    print('held', flush=True); time.sleep(60)\n"
)


def test_a_second_run_on_the_namespace_is_refused(store):
    with lease(store.connection, "ada"):
        with pytest.raises(LeaseHeld, match=f"process {os.getpid()}"), lease(store.connection, "ada"):
            pass
        with lease(store.connection, "ben"):
            pass
        with pytest.raises(LeaseHeld), lease(store.connection, "ada"):  # the refused one did not free it
            pass
    with lease(store.connection, "ada"):
        pass


def test_another_process_holds_until_it_is_killed(path):
    SqliteStore(path).close()
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b"held"
    store = SqliteStore(path)
    with pytest.raises(LeaseHeld, match=f"process {holder.pid}"), lease(store.connection, "ada"):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    with lease(store.connection, "ada"):
        pass
    store.close()


def test_a_lease_of_a_machine_out_of_sight_ends_by_time(store):
    with store.connection.writing() as db:
        db.execute("INSERT INTO leases VALUES ('ada', 'elsewhere', 1, '', ?)", (time.time() + 60,))
        db.execute("INSERT INTO leases VALUES ('ben', 'elsewhere', 1, '', ?)", (time.time() - 1,))
    with pytest.raises(LeaseHeld, match="on elsewhere"), lease(store.connection, "ada"):
        pass
    with lease(store.connection, "ben"):
        pass


def test_a_process_number_given_anew_is_not_taken_for_the_holder(store):
    with store.connection.writing() as db:
        import socket

        db.execute("INSERT INTO leases VALUES ('ada', ?, ?, 'long ago', ?)", (socket.gethostname(), os.getpid(), time.time() + 60))
    with lease(store.connection, "ada"):
        pass
