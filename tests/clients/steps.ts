// What somebody does with the TypeScript client: orders as JSON on standard input, what came of them as JSON on standard output.
import { readFileSync } from "node:fs";
import {
  ApiError, Conflict, createWorkforceClient, edit, InvalidRequest, ok, PreconditionFailed, RateLimited, rows, verifyWebhook,
  WebhookVerificationError,
} from "workforce-client";

interface Orders {
  url: string;
  key: string;
  limited: string;
  limit: number;
  name: string;
  facility: number;
  webhook: { secret: string; headers: Record<string, string>; body: string };
}

interface Sent {
  status: number;
  key: string | null;
  replayed: string | null;
  version: string | null;
}

/** Sends and keeps what was answered; the first `lost` answers don't arrive. */
function watched(lost = 0): { sent: Sent[]; fetch: (request: Request) => Promise<Response> } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (request) => {
      const { headers } = request;
      const response = await fetch(request);
      sent.push({
        status: response.status, key: headers.get("Idempotency-Key"), replayed: response.headers.get("Idempotency-Replayed"),
        version: headers.get("Service-Version"),
      });
      if (sent.length <= lost) throw new TypeError("the answer is lost");
      return response;
    },
  };
}

/** What the client throws. */
async function refused(kind: typeof ApiError, ask: () => Promise<unknown>): Promise<object> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    const { name, status, code, fields, requestId, suggestion } = error;
    return { kind: name, status, code, fields: fields.map(({ field }) => field), requestId, suggestion };
  }
  return { kind: null };
}

async function play(orders: Orders): Promise<object> {
  const { url: baseUrl, key: token } = orders;
  const client = createWorkforceClient({ baseUrl, token });
  const person = (email: string) => ({ firstName: "Ada", lastName: "Byron", email });
  const ada = await ok(client.POST("/api/staff", { body: person(`ada.${orders.name}@example.com`) }));
  const path = { id: ada.id };
  const shifts: number[] = [];
  const query = { facilityId: orders.facility, limit: 120, status: ["open" as const, "assigned" as const] };
  for await (const { id } of rows((cursor) => client.GET("/api/shifts", { params: { query: { ...query, ...cursor } } }))) shifts.push(id);

  const before = await client.GET("/api/staff/{id}", { params: { path } });
  const etag = before.response.headers.get("ETag") ?? "";
  await client.PATCH("/api/staff/{id}", { params: { path }, body: { phone: "+1 555 0100" } });
  const stale = await refused(PreconditionFailed, () =>
    client.PATCH("/api/staff/{id}", { params: { path, header: { "If-Match": etag } }, body: { phone: "+1 555 0101" } }));
  let reads = 0;
  const edited = await edit(() => client.GET("/api/staff/{id}", { params: { path } }), async (current, read) => {
    if (reads++ === 0) { // somebody else is faster, the first time
      await client.PATCH("/api/staff/{id}", { params: { path }, body: { skills: ["Triage"] } });
    }
    const body = { skills: [...current.skills, "Suture"] };
    return client.PATCH("/api/staff/{id}", { params: { path, header: { "If-Match": read } }, body });
  });
  const duplicate = await refused(Conflict, () => client.POST("/api/staff", { body: person(ada.email) }));
  const invalid = await refused(InvalidRequest, () =>
    client.POST("/api/staff", { body: { firstName: "", lastName: "Byron", email: "nobody" } }));

  const limits = watched();
  const patient = createWorkforceClient({ baseUrl, token: orders.limited, fetch: limits.fetch });
  const waited: number[] = [];
  for (let n = 0; n <= orders.limit; n++) waited.push((await ok(patient.GET("/api/auth/me"))).organization.id);
  const hasty = createWorkforceClient({ baseUrl, token: orders.limited, longestWait: 0 });
  const limited = await refused(RateLimited, async () => {
    for (let n = 0; n <= orders.limit; n++) await hasty.GET("/api/auth/me");
  });

  const line = watched(1);
  const again = createWorkforceClient({ baseUrl, token, fetch: line.fetch });
  const replayed = await ok(again.POST("/api/staff", { body: person(`replayed.${orders.name}@example.com`) }));

  const { secret, headers } = orders.webhook;
  const body = Buffer.from(orders.webhook.body, "base64").toString();
  const event = verifyWebhook(secret, body, headers);
  let forged = false;
  try {
    verifyWebhook(secret, `${body} `, headers);
  } catch (error) {
    forged = error instanceof WebhookVerificationError;
  }
  return {
    created: { id: ada.id, email: ada.email, isActive: ada.isActive }, rows: shifts, stale, edited: { skills: edited.skills, reads },
    duplicate, invalid, waited, statuses: limits.sent.map(({ status }) => status), limited, replayed: replayed.id, sent: line.sent,
    event: { type: event.type, staffId: event.type === "staff_onboarded" ? event.data.staffId : null }, forged,
  };
}

console.log(JSON.stringify(await play(JSON.parse(readFileSync(0, "utf8")))));
