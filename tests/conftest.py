# What pytest has to know of the suites, which are cases of unittest.

import signal
import unittest

import pytest


def pytest_sessionstart():
    # Interrupted is interrupted: what was started is ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def module_cleanups():
    """What unittest does at the end of a module: pytest does so for classes and tests alone."""
    yield
    unittest.doModuleCleanups()
