// Webhooks that arrive: whether the service sent them, and what they say.
import { Webhook } from "standardwebhooks";
import type { WebhookEvent } from "./generated/api.js";

export { WebhookVerificationError } from "standardwebhooks";

/** The event of a request that a subscription's secret (whsec_…) signed within the last five minutes; `body` is what came, byte for
 *  byte. Events may come more than once: their `id` tells. Throws WebhookVerificationError. */
export function verifyWebhook(secret: string, body: string, headers: Record<string, string | string[] | undefined> | Headers): WebhookEvent {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return new Webhook(secret).verify(body, Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))) as WebhookEvent;
}
