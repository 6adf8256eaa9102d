# The reader that docs/analysts.md gives to analysts, taken from that page, so that the tests use what people copy.

import re
import types

import support

PAGE = support.PROJECT_ROOT / "docs" / "analysts.md"


def blocks(language):
    """The fenced blocks of the page in that language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _load():
    module = types.ModuleType("analysts_reader")
    exec(compile(blocks("python")[0], f"{PAGE} (first Python block)", "exec"), module.__dict__)
    return module


_reader = _load()
Rule = _reader.Rule
events = _reader.events


def log_records(brokers, topic):
    """The events that count as support.verify_chain takes them: (partition, position, value) in their order."""
    found = {}
    for partition, value in events(brokers, topic):
        found.setdefault(partition, []).append(value)
    return [(partition, position, value)
            for partition in sorted(found) for position, value in enumerate(found[partition])]
