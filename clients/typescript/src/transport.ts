// Sends requests again where the API says that this helps and does no harm, and waits where it says for how long.
import { ApiError, refusal } from "./errors.js";

const KEYED = new Set(["POST", "PUT", "PATCH"]);
const KEYLESS = "/api/auth/"; // below it nothing takes an idempotency key
const HARMLESS = new Set(["GET", "HEAD", "PUT", "DELETE"]); // to ask for twice
const FIRST_WAIT = 0.25, LONGEST_BACKOFF = 8; // seconds

/** How a client sends again. */
export interface RetryPolicy {
  /** How often a request is sent again; 4 by default. */
  retries: number;
  /** Seconds that the client waits for that at a time, at most; 60 by default. */
  longestWait: number;
  /** Seconds that an attempt may take; 60 by default. */
  timeout: number;
}

type Fetch = (request: Request) => Promise<Response>;

/** Seconds that the answer says to wait. */
function toldWait({ headers, status }: ApiError): number {
  const after = Number(headers.get("Retry-After") ?? NaN);
  if (after >= 0) return after;
  const opens = Number(headers.get("X-RateLimit-Reset") ?? NaN);
  return status === 429 && opens >= 0 ? Math.max(0, opens - Date.now() / 1000) : 0;
}

function mayRepeat(request: Request, failure: unknown): boolean {
  if (request.signal.aborted) return false;
  if (failure instanceof ApiError && (!failure.retryable || failure.status === 429)) return failure.retryable; // a limit let nothing be done
  return HARMLESS.has(request.method) || request.headers.has("Idempotency-Key");
}

/** Seconds to wait before another attempt after so many; undefined: there is none. */
function waitFor(policy: RetryPolicy, request: Request, failure: unknown, attempt: number): number | undefined {
  if (attempt > policy.retries || !mayRepeat(request, failure)) return undefined;
  const backoff = (0.5 + Math.random() / 2) * Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_BACKOFF);
  const seconds = Math.max(backoff, failure instanceof ApiError ? toldWait(failure) : 0);
  return seconds <= policy.longestWait ? seconds : undefined;
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => { clearTimeout(timer); reject(signal.reason); };
    const timer = setTimeout(() => { signal.removeEventListener("abort", stop); resolve(); }, seconds * 1000);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Sends by `send`, and again with the same idempotency key. Throws ApiError for what the service refuses in the end, and what
 *  `send` throws where no answer comes. */
export function retrying(send: Fetch, policy: RetryPolicy): Fetch {
  return async (request) => {
    if (KEYED.has(request.method) && !new URL(request.url).pathname.startsWith(KEYLESS) && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", crypto.randomUUID());
    }
    for (let attempt = 1; ; attempt++) {
      let failure: unknown;
      try {
        const signal = AbortSignal.any([request.signal, AbortSignal.timeout(policy.timeout * 1000)]);
        const response = await send(new Request(request.clone(), { signal }));
        if (response.ok) return response;
        failure = await refusal(response);
      } catch (lost) {
        failure = lost;
      }
      const seconds = waitFor(policy, request, failure, attempt);
      if (seconds === undefined) throw failure;
      await pause(seconds, request.signal);
    }
  };
}
