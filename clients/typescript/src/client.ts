// The client: the operations of the API by method and path.
import createClient, { type Client as PathClient } from "openapi-fetch";
import type { paths } from "./generated/api.js";
import { API_VERSION } from "./generated/version.js";
import { retrying, type RetryPolicy } from "./transport.js";

/** Methods GET, POST, PATCH and DELETE, each typed by its path. They throw ApiError; their `data` is what the service answered. */
export type Client = PathClient<paths, "application/json">;

export interface ClientOptions extends Partial<RetryPolicy> {
  baseUrl: string;
  /** An API key, or a token of POST /api/auth/token. */
  token?: string;
  /** Has a person's token act on sandbox rows; keys have their own side. */
  sandbox?: boolean;
  /** Version of the API to be answered with; by default the one that the client was made for. */
  version?: string;
  /** Sends in place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A client of the service at `baseUrl`. */
export function createWorkforceClient(options: ClientOptions): Client {
  const { baseUrl, token, sandbox = false, version = API_VERSION, fetch = globalThis.fetch } = options;
  const { retries = 4, longestWait = 60, timeout = 60 } = options;
  const headers: Record<string, string> = { "Service-Version": version };
  if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
  if (sandbox) headers["Service-Sandbox"] = "true";
  return createClient<paths, "application/json">({
    baseUrl, headers, fetch: retrying(fetch, { retries, longestWait, timeout }),
    querySerializer: { array: { style: "form", explode: false } }, // lists of values with commas between
  });
}
