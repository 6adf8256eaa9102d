"""What the service refuses a request with, as exceptions by the status of the answer."""

from __future__ import annotations

from collections.abc import Mapping

import pydantic

from . import models
from .api.errors import SDKError

# Statuses that whoever stands before the service answers with, where the same request may succeed later.
_PASSING = {429, 502, 503, 504}


class ApiError(SDKError):
    """The service did not do what was asked. `code` says why, for programs; `suggestion` what to do, for people."""

    def __init__(self, status: int, answer: models.ErrorResponse, headers: Mapping[str, str]) -> None:
        super().__init__(reason=answer.error.code)
        self.status = status
        self.headers = headers
        self.code = answer.error.code
        self.message = answer.error.message
        self.suggestion = answer.error.suggestion
        self.retryable = answer.error.retryable
        self.details = answer.error.details
        self._request_id = answer.request_id

    @property
    def request_id(self) -> str | None:
        """Names the request, for whoever looks into it."""
        return self._request_id or None

    @property
    def fields(self) -> list[models.FieldError]:
        """The fields that a VALIDATION_ERROR names."""
        return list((self.details.fields if self.details else None) or [])

    def __str__(self) -> str:
        fields = "".join(f"; {each.field}: {each.message}" for each in self.fields)
        return f"{self.status} {self.code}: {self.message}{fields} ({self.suggestion}) [{self.request_id}]"


class InvalidRequest(ApiError):
    """400: the request breaks a rule; `fields` has each field that does."""


class Unauthenticated(ApiError):
    """401: the credential is missing or not valid."""


class Forbidden(ApiError):
    """403: the credential may not do this."""


class NotFound(ApiError):
    """404: there is none, or none that the credential may see."""


class Conflict(ApiError):
    """409: the state does not allow it; `code` says what stands in the way."""


class PreconditionFailed(ApiError):
    """412: somebody changed it since its ETag was read."""


class RateLimited(ApiError):
    """429: the limit is used up, and the next window opens later than the client would wait."""


class ServiceError(ApiError):
    """5xx: the service, or what it depends on, failed."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequest, 401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict, 412: PreconditionFailed, 429: RateLimited}


def refusal(status: int, body: bytes, headers: Mapping[str, str]) -> ApiError:
    """The exception for an answer of that status (400 or more), whoever gave it."""
    try:
        answer = models.ErrorResponse.model_validate_json(body)
    except pydantic.ValidationError:  # of a proxy
        answer = models.ErrorResponse(request_id="", error=models.Error(
            code=f"HTTP_{status}", message="The answer is not the service's", suggestion="Look at what stands before the service.",
            retryable=status in _PASSING))
    kind = ServiceError if status >= 500 else _BY_STATUS.get(status, ApiError)
    return kind(status, answer, headers)
