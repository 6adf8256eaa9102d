# What pytest has to know of the suites, which are cases of unittest.

import gc
import signal
import sys
import unittest

import pytest


def pytest_sessionstart():
    # Interrupted is interrupted: what was started is ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Of each class those tests are first that say so."""
    places = {}
    for item in items:
        places.setdefault(item.cls or item.module, len(places))
    items.sort(key=lambda item: (places[item.cls or item.module], not getattr(item.obj, "goes_first", False)))


def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # what is loaded by now stays, and no collection need look at it


told = set()  # tests that failed


@pytest.fixture(scope="module", autouse=True)
def module_cleanups():
    """What unittest does at the end of a module: pytest does so for classes and tests alone."""
    yield
    unittest.doModuleCleanups()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Beside the first failure of a test stands what the services that the suite shares have logged."""
    report = yield
    support = sys.modules.get("support")
    if report.failed and support and item.nodeid not in told:
        told.add(item.nodeid)
        for service in list(support.shared_services):
            service.print_tail()
    return report
