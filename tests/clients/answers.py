"""Whether the Python client reads what the service answered. Lines of JSON on standard input, {operation, text}, where `operation` is
null for a refusal; a line "operation: fault" on standard output for what is not as its model says, or has a member that it lacks."""

import functools
import importlib
import json
import sys

import pydantic

from workforce_client import models


@functools.cache
def model_of(operation):
    """What the client's method of that operation returns."""
    if operation is None:
        return pydantic.TypeAdapter(models.ErrorResponse)
    tag, name = operation
    returned = "".join(word.capitalize() for word in name.split("_")) + "Response"
    return pydantic.TypeAdapter(getattr(importlib.import_module(f"workforce_client.api.types.{tag}"), returned))


for line in sys.stdin:
    answer = json.loads(line)
    operation = answer["operation"]
    try:
        # Details of refusals are open.
        model_of(operation and tuple(operation)).validate_json(answer["text"], strict=True, extra="forbid" if operation else None)
    except pydantic.ValidationError as error:
        print(f"{operation}: {error.errors(include_url=False)[:3]} {answer['text'][:500]}")
