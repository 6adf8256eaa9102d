// Client of the Workforce Platform API.
export { createWorkforceClient, type Client, type ClientOptions } from "./client.js";
export * from "./errors.js";
export type * from "./generated/api.js";
export { API_VERSION } from "./generated/version.js";
export { edit, ok, rows, type Answer } from "./helpers.js";
export { type RetryPolicy } from "./transport.js";
export { verifyWebhook, WebhookVerificationError } from "./webhooks.js";
