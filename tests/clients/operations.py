"""The operations of the Python client as JSON: for each method by resource and name, what its body is and what it returns."""

import inspect
import json

from workforce_client import Client

found = {}
client = Client("http://127.0.0.1:9")
for resource in (name for name in dir(client) if not name.startswith("_")):
    value = getattr(client, resource)
    if type(value).__module__.startswith("workforce_client.api.resources."):
        for name, method in inspect.getmembers(value, inspect.ismethod):
            if name.startswith("_"):
                continue
            signature = inspect.signature(method)
            body = signature.parameters.get("body")
            found[f"{resource}.{name}"] = {"body": body and body.annotation, "returns": signature.return_annotation}
print(json.dumps(found))
