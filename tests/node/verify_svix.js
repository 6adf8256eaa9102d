// Verifies webhooks as a subscriber would who uses npm's svix. Reads lines of JSON, {secret, headers, body in base64}; prints a
// line for each: "verified" with the event's id, or "refused" with the reason.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";

// The packages lie in var/node, apart from this file.
const { Webhook } = createRequire(join(process.env.WORKFORCE_NODE_HOME, "/"))("svix");

for await (const line of createInterface({ input: process.stdin })) {
    const { secret, headers, body } = JSON.parse(line);
    try {
        console.log("verified", new Webhook(secret).verify(Buffer.from(body, "base64"), headers).id);
    } catch (error) {
        console.log("refused", error.message);
    }
}
