// What the service refuses a request with, as classes by the status of the answer.
import type { ErrorDetails, ErrorResponse, FieldError } from "./generated/api.js";

/** Statuses that whoever stands before the service answers with, where the same request may succeed later. */
const PASSING = new Set([429, 502, 503, 504]);

/** The service did not do what was asked. `code` says why, for programs; `suggestion` what to do, for people. */
export class ApiError extends Error {
  readonly code: string;
  readonly suggestion: string;
  readonly retryable: boolean;
  readonly details: ErrorDetails;
  /** Names the request, for whoever looks into it. */
  readonly requestId: string;

  constructor(readonly status: number, { error, requestId }: ErrorResponse, readonly headers: Headers) {
    const fields = (error.details?.fields ?? []).map(({ field, message }) => `; ${field}: ${message}`).join("");
    super(`${status} ${error.code}: ${error.message}${fields} (${error.suggestion}) [${requestId}]`);
    this.name = new.target.name;
    this.code = error.code;
    this.suggestion = error.suggestion;
    this.retryable = error.retryable;
    this.details = error.details ?? {};
    this.requestId = requestId;
  }

  /** The fields that a VALIDATION_ERROR names. */
  get fields(): FieldError[] {
    return this.details.fields ?? [];
  }
}

/** 400: the request breaks a rule; `fields` has each field that does. */
export class InvalidRequest extends ApiError {}
/** 401: the credential is missing or not valid. */
export class Unauthenticated extends ApiError {}
/** 403: the credential may not do this. */
export class Forbidden extends ApiError {}
/** 404: there is none, or none that the credential may see. */
export class NotFound extends ApiError {}
/** 409: the state does not allow it; `code` says what stands in the way. */
export class Conflict extends ApiError {}
/** 412: somebody changed it since its ETag was read. */
export class PreconditionFailed extends ApiError {}
/** 429: the limit is used up, and the next window opens later than the client would wait. */
export class RateLimited extends ApiError {}
/** 5xx: the service, or what it depends on, failed. */
export class ServiceError extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: InvalidRequest, 401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict, 412: PreconditionFailed, 429: RateLimited,
};

function isErrorResponse(answer: unknown): answer is ErrorResponse {
  return typeof answer === "object" && answer !== null && "error" in answer && typeof answer.error === "object";
}

/** The error for an answer of status 400 or more, whoever gave it. Reads its body. */
export async function refusal(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const answer: unknown = await response.json().catch(() => undefined);
  const Kind = status >= 500 ? ServiceError : (BY_STATUS[status] ?? ApiError);
  return new Kind(status, isErrorResponse(answer) ? answer : {
    requestId: "",
    error: {
      code: `HTTP_${status}`, message: "The answer is not the service's", suggestion: "Look at what stands before the service.",
      retryable: PASSING.has(status),
    },
  }, headers);
}
