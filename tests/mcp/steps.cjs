// What each client of Node.js does with the service, and what it saw of it, as one line of JSON. The credential is in MCP_KEY.
'use strict';

const AT_ONCE = 20;
const NO_FACILITY = 999999999;
const SLOW_TOOL = 'test_tool_with_progress'; // tells of its progress three times and pauses between

/** A fetch that remembers what was asked and answered: "POST tools/call 200 application/json"; "aborted" for a status where there was none. */
function watched(wire) {
    return async (url, init = {}) => {
        const body = init.body ? JSON.parse(init.body) : {};
        const what = [init.method ?? 'GET', body.method].filter(Boolean).join(' ');
        try {
            const answer = await fetch(url, init);
            const type = answer.headers.get('content-type')?.split(';')[0];
            wire.push([what, answer.status, type].filter(Boolean).join(' '));
            return answer;
        } catch (error) {
            wire.push(`${what} aborted`);
            throw error;
        }
    };
}

/** Connects `client` by `transport` and does everything; `call(params, options)` and `list()`, which gives all tools, are the client's own. */
async function play({ client, transport, wire, call, list, version }) {
    const errors = [];
    client.onerror = error => errors.push(String(error));
    await client.connect(transport);
    const seen = { server: client.getServerVersion(), capabilities: client.getServerCapabilities(), version: version() };
    seen.tools = (await list()).map(tool => ({ name: tool.name, title: tool.title, output: tool.outputSchema !== undefined }));
    seen.me = (await call({ name: 'whoami' })).structuredContent;
    const facilities = await call({ name: 'facilities_list', arguments: {} });
    seen.facilities = facilities.structuredContent;
    seen.text = facilities.content[0].text;
    const refused = await call({ name: 'facilities_get', arguments: { facilityId: NO_FACILITY } });
    seen.refused = { isError: refused.isError, text: refused.content[0].text };
    seen.unknown = await call({ name: 'no_such_tool' }).then(() => null, error => error.code);

    seen.progress = [];
    const onprogress = ({ progress, total }) => seen.progress.push([progress, total]);
    seen.slow = (await call({ name: SLOW_TOOL }, { onprogress })).content[0].text;

    seen.errors = [...errors]; // later ones are of frames that nobody waits for any more
    const stop = new AbortController();
    const cancelled = call({ name: SLOW_TOOL }, { signal: stop.signal, onprogress: () => stop.abort('enough') });
    seen.cancelled = await cancelled.then(() => null, error => String(error));

    const ids = seen.facilities.data.map(facility => facility.id);
    const asked = Array.from({ length: AT_ONCE }, (_, index) => ids[index % ids.length]);
    const answers = await Promise.all(asked.map(id => call({ name: 'facilities_get', arguments: { facilityId: id } })));
    seen.at_once = answers.map((answer, index) => answer.structuredContent.id === asked[index]);
    await client.close();
    console.log(JSON.stringify({ ...seen, wire }));
}

/** Runs a program to its end: exit 1 with the error when one comes up. */
function main(program) {
    program().catch(error => {
        console.error(error);
        process.exit(1);
    });
}

module.exports = { main, play, watched };
