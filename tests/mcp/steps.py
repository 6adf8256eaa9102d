"""What each client of Python does with the service, and what it saw of it, as one line of JSON. The credential is in MCP_KEY."""

import json
import os

import anyio

AT_ONCE = 20
NO_FACILITY = 999999999
SLOW_TOOL = "test_tool_with_progress"  # tells of its progress three times and pauses between
HEADERS = {"Authorization": f"Bearer {os.environ['MCP_KEY']}"}


def watch(wire):
    """Hooks of an HTTP client that remember what was asked and answered: "POST tools/call 200 application/json"."""
    async def note(answer):
        asked = answer.request
        method = json.loads(asked.content).get("method") if asked.content else None
        kind = answer.headers.get("content-type", "").split(";")[0]
        wire.append(" ".join(str(part) for part in (asked.method, method, answer.status_code, kind) if part))
    return {"response": [note]}


async def play(seen, wire, call, error, cancelled=None):
    """Does everything but connect and list, which differ. `call(name, arguments, progress_callback=…)` is the client's own
    and gives results whose JSON has the names of the protocol; `error` is what it raises for an error of the server.
    `cancelled()` tells the server of the last call's end where the client does not do so itself."""
    async def result(name, arguments=None, **options):
        return (await call(name, arguments, **options)).model_dump(mode="json", by_alias=True)

    seen["me"] = (await result("whoami"))["structuredContent"]
    facilities = await result("facilities_list", {})
    seen["facilities"] = facilities["structuredContent"]
    seen["text"] = facilities["content"][0]["text"]
    refused = await result("facilities_get", {"facilityId": NO_FACILITY})
    seen["refused"] = {"isError": refused["isError"], "text": refused["content"][0]["text"]}
    try:
        await result("no_such_tool")
        seen["unknown"] = None
    except error as problem:
        seen["unknown"] = problem.error.code

    seen["progress"] = []

    async def told(progress, total, _message):
        seen["progress"].append([progress, total])

    slow = await result(SLOW_TOOL, {}, progress_callback=told)
    seen["slow"] = slow["content"][0]["text"]

    with anyio.CancelScope() as scope:
        async def stop(*_):
            scope.cancel()
        await result(SLOW_TOOL, {}, progress_callback=stop)
    seen["cancelled"] = "cancelled" if scope.cancelled_caught else None
    if cancelled is not None:
        await cancelled()

    ids = [facility["id"] for facility in seen["facilities"]["data"]]
    seen["at_once"] = [False] * AT_ONCE

    async def ask(index):
        wanted = ids[index % len(ids)]
        answer = await result("facilities_get", {"facilityId": wanted})
        seen["at_once"][index] = answer["structuredContent"]["id"] == wanted
    async with anyio.create_task_group() as group:
        for index in range(AT_ONCE):
            group.start_soon(ask, index)
    seen["wire"] = wire


def tools_of(pages):
    """The tools of all pages, as seen."""
    tools = [tool.model_dump(mode="json", by_alias=True) for page in pages for tool in page.tools]
    return [{"name": tool["name"], "title": tool["title"], "output": tool["outputSchema"] is not None} for tool in tools]


def report(seen, server, capabilities):
    """Prints the line; `server` and `capabilities` are the models that the client has of them, or None."""
    models = {"server": server, "capabilities": capabilities}
    seen |= {name: model and model.model_dump(mode="json", by_alias=True, exclude_none=True) for name, model in models.items()}
    print(json.dumps(seen))
