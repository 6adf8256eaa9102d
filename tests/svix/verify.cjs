// Verifies webhooks as a subscriber would who uses npm's svix. Reads lines of JSON, {secret, headers, body in base64}; prints a
// line for each: "verified" with the event's id, or "refused" with the reason.
const { createInterface } = require("node:readline");
const { Webhook } = require("svix");

createInterface({ input: process.stdin }).on("line", (line) => {
    const { secret, headers, body } = JSON.parse(line);
    try {
        console.log("verified", new Webhook(secret).verify(Buffer.from(body, "base64"), headers).id);
    } catch (error) {
        console.log("refused", error.message);
    }
});
