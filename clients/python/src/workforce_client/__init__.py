"""Client of the Workforce Platform API."""

from . import models
from .api.errors import APIConnectionError, SDKError
from .client import API_VERSION, AsyncClient, Client
from .errors import (
    ApiError,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    PreconditionFailed,
    RateLimited,
    ServiceError,
    Unauthenticated,
)
from .helpers import async_rows, edit, rows
from .transport import RetryPolicy
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "API_VERSION", "APIConnectionError", "ApiError", "AsyncClient", "Client", "Conflict", "Forbidden", "InvalidRequest", "NotFound",
    "PreconditionFailed", "RateLimited", "RetryPolicy", "SDKError", "ServiceError", "Unauthenticated", "WebhookVerificationError",
    "async_rows", "edit", "models", "rows", "verify_webhook"]
