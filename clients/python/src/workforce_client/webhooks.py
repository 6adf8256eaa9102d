"""Webhooks that arrive: whether the service sent them, and what they say."""

from __future__ import annotations

from collections.abc import Mapping

import pydantic
from standardwebhooks import Webhook, WebhookVerificationError

from . import models

__all__ = ["WebhookVerificationError", "verify_webhook"]

_EVENT: pydantic.TypeAdapter[models.WebhookEvent] = pydantic.TypeAdapter(models.WebhookEvent)


def verify_webhook(secret: str, body: bytes, headers: Mapping[str, str]) -> models.WebhookEvent:
    """The event of a request that a subscription's secret (whsec_…) signed within the last five minutes; `body` is what came, byte
    for byte. Events may come more than once: their `id` tells. Raises WebhookVerificationError."""
    Webhook(secret).verify(body, {name.lower(): value for name, value in headers.items()})
    return _EVENT.validate_json(body)
