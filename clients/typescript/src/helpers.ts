// What is done with answers: the data alone, all rows of a list, and a change that is no one else's.
import type { Pagination } from "./generated/api.js";
import { PreconditionFailed } from "./errors.js";

/** What the client's methods give. */
export interface Answer<T> {
  data?: T;
  response: Response;
}

/** What the service answered: const me = await ok(client.GET("/api/auth/me")). */
export async function ok<T>(asked: Promise<Answer<T>>): Promise<T> {
  return (await asked).data as T; // what has none was thrown
}

/** All rows of a list, asked for page by page as they are taken:
 *  rows((cursor) => client.GET("/api/shifts", { params: { query: { status: ["open"], ...cursor } } })). */
export async function* rows<T>(
  ask: (cursor: { cursor?: string }) => Promise<Answer<{ data: T[]; pagination: Pagination }>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: { cursor?: string } = {};
  for (;;) {
    const { data, pagination } = await ok(ask(cursor));
    yield* data;
    if (pagination.nextCursor === null) return;
    cursor = { cursor: pagination.nextCursor };
  }
}

/** Writes what follows from what was read, once nobody else wrote in between: `write` gets what `read` gave and its ETag, for
 *  If-Match, and both are called again after a PreconditionFailed, `tries` times in all. */
export async function edit<Read, Written>(
  read: () => Promise<Answer<Read>>, write: (current: Read, etag: string) => Promise<Answer<Written>>, tries = 5,
): Promise<Written> {
  for (;;) {
    const { data, response } = await read();
    try {
      return await ok(write(data as Read, response.headers.get("ETag") ?? ""));
    } catch (failure) {
      if (!(failure instanceof PreconditionFailed) || --tries <= 0) throw failure;
    }
  }
}
