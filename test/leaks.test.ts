import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import { basic } from "./support/service.ts"
import { startReady, withFolder } from "./support/start.ts"

const MARKER = "leak-marker-7f3a"
/** The caller's own id of a data subject. */
const PERSON = "person-marker-7f3a"
/** A card number, which a log scanner would look for. */
const CARD = "4000056655665556"

interface Attempt {
  readonly path: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

const policyOf = (says: object) => ({ name: "x", effect: "permit", roles: ["pci"], ...says })

const relayOf = (route: object) => ({ destinationDomain: "x.example", routes: [{ path: "/", ...route }] })
const selecting = (selector: string, role: string | null = null) => [
  { action: "encrypt", selections: [{ type: "json", selector, role }] },
]
const pkcs12 = { format: "pkcs12", content: Buffer.from(MARKER).toString("base64"), password: CARD }

describe("the input of callers", () => {
  test(
    "is in no error answer and no log line, whatever goes wrong with it",
    () =>
      withFolder(async (folder) => {
        const { ready, stop, stdout, stderr } = await startReady(folder, ["--verbose"])
        const [sandbox, production] = ready.apps
        if (sandbox === undefined || production === undefined) throw new Error("A start makes two apps")
        const json = { "content-type": "application/json" }
        const owner = { authorization: basic({ user: sandbox.id, key: sandbox.apiKey }) }
        const send = async ({ path, body, headers = {} }: Attempt) => {
          const response = await fetch(ready.url + path, {
            method: "POST",
            body,
            headers: { ...json, ...owner, ...headers },
          })
          return {
            status: response.status,
            text: await response.text(),
            headers: JSON.stringify([...response.headers]),
          }
        }
        const team = { authorization: basic({ user: ready.teamId, key: ready.teamKey }) }
        // Opening its values then takes calls of KMS, whose refusals must repeat nothing either.
        const inHsm = { method: "PATCH", body: '{"custody":"hsm"}', headers: { ...json, ...team } }
        expect((await fetch(`${ready.url}/apps/${sandbox.id}`, inHsm)).status).toBe(200)
        const token: string = JSON.parse((await send({ path: "/encrypt", body: `"${MARKER}${CARD}"` })).text)
        const foreign = basic({ user: production.id, key: production.apiKey })
        const paths = [
          "/encrypt",
          "/decrypt",
          "/rewrap",
          "/fingerprint",
          "/inspect",
          "/client-side-tokens",
          "/data-roles",
          "/data-policies",
          "/data-policies/analyze",
          "/data-policies/explain",
          "/data-policies/simulate",
          "/webhook-endpoints",
          "/webhook-events",
          "/webhook-listeners",
          "/webhook-listeners/x/fetch",
          "/functions",
          "/functions/charge/runs",
          "/functions/charge/run-tokens",
          "/relays",
          "/relays/x/test",
          "/relays/x/alerts",
          "/relays/x/custom-domains",
          "/insights/cards",
          "/payments/bin-lookups",
          "/payments/par-lookups",
          "/payments/bin-tables",
          "/apps",
          "/team-keys",
          "/payments/merchants",
          "/payments/acquirers",
          "/payments/cards",
          "/payments/network-tokens",
          "/payments/network-tokens/x/simulate",
          "/payments/cards/x/simulate",
          "/payments/account-updater/subscriptions",
          "/payments/account-updater/subscriptions/x/simulate",
          "/payments/merchants/x/retry-enrolments",
          "/payments/retry-watches",
          "/payments/retry-watches/x/simulate",
          "/payments/pre-chargeback-alerts/simulate",
          "/payments/connector-events",
          "/payments/3ds-sessions",
          "/payments/3ds-results/x/x/x",
          "/frontend/3ds/notifications/x/x",
          "/sandbox/3ds/challenges/x",
          "/sandbox/3ds/methods/x",
        ]
        const attempts: Attempt[] = paths.flatMap((path) => [
          { path, body: `{"${MARKER}": ${CARD}` },
          { path, body: `${MARKER} ${CARD}` },
          { path, body: `["${MARKER}", "\\ud800"`, headers: { "content-type": `text/${MARKER}` } },
          {
            path,
            body: `["${MARKER}${CARD}"]`,
            headers: { authorization: basic({ user: MARKER, key: CARD }) },
          },
          { path, body: `["${MARKER}"]`, headers: { authorization: `${MARKER} ${CARD}` } },
          { path, body: `["${MARKER}"]`, headers: { "api-key": MARKER, authorization: "" } },
          { path, body: `"${MARKER}`.repeat(400_000) },
          { path, body: `{"token": ["${MARKER}${CARD}"]}`.repeat(2) },
          { path: `${path}/${MARKER}?${MARKER}=${CARD}`, body: MARKER },
          {
            path,
            body: new TextEncoder().encode(MARKER),
            headers: { "content-type": "application/octet-stream", "x-service-data-role": MARKER },
          },
          {
            path,
            body: `{"token":"${token}","values":["${MARKER}","${token}"]}`,
            headers: { authorization: foreign },
          },
          {
            path,
            body: `{"token":"${token.replace(/.:\$$/, "A:$")}","values":["${MARKER}","${token.replace("Tk9D", "XXXX")}"]}`,
          },
        ])
        attempts.push(
          { path: "/encrypt", body: `["${MARKER}","\\ud800"]` },
          { path: "/encrypt", body: `"${CARD}"`, headers: { "x-service-data-role": MARKER } },
          { path: `/apps/${MARKER}/keys/rotate`, body: "" },
          { path: "/fingerprint", body: JSON.stringify({ token: MARKER }) },
          {
            path: "/decrypt",
            body: `["${MARKER}"]`,
            headers: { authorization: `Token ${MARKER}.${CARD}.x` },
          },
          { path: "/decrypt", body: `["${MARKER}"]`, headers: { authorization: `Bearer ${sandbox.apiKey}` } },
          { path: "/client-side-tokens", body: `{"action":"${MARKER}","payload":{"a":"${token}"}}` },
          {
            path: "/client-side-tokens",
            body: `{"action":"api:decrypt","payload":{"a":"${token}"},"expiry":1}`,
          },
          { path: "/data-policies", body: JSON.stringify(policyOf({ cedar: `permit(${MARKER} ${CARD});` })) },
          {
            path: "/data-policies",
            body: JSON.stringify(policyOf({ conditions: { ipRanges: [MARKER, CARD] } })),
          },
          { path: "/data-policies", body: JSON.stringify(policyOf({ conditions: { [MARKER]: CARD } })) },
          { path: "/data-policies", body: JSON.stringify({ ...policyOf({}), roles: [MARKER] }) },
          { path: "/webhook-endpoints", body: `{"url":"ftp://${MARKER}:${CARD}@x/","events":["*"]}` },
          {
            path: "/functions",
            body: JSON.stringify({ name: "x", language: "node@24", handler: `${MARKER}.mjs`, code: MARKER }),
          },
          { path: `/functions/${MARKER}/runs`, body: `{"payload":{"a":"${MARKER}"},"${CARD}":1}` },
          {
            path: "/functions/x/runs",
            body: "{}",
            headers: { authorization: `RunToken ${MARKER}.${CARD}.x` },
          },
          { path: "/relays", body: `{"destinationDomain":"https://${MARKER}:${CARD}@x/"}` },
          { path: "/relays", body: JSON.stringify(relayOf({ path: `${MARKER} ${CARD}` })) },
          { path: "/relays", body: JSON.stringify(relayOf({ request: selecting(`$.[${MARKER}${CARD}`) })) },
          { path: "/relays", body: JSON.stringify(relayOf({ request: selecting("$.a", MARKER) })) },
          { path: "/relays", body: JSON.stringify({ ...relayOf({}), clientCertificate: pkcs12 }) },
          { path: `/relays/${MARKER}/custom-domains`, body: `{"domain":"${MARKER} ${CARD}"}` },
          { path: `/relays/${MARKER}/alerts/${CARD}/test`, body: MARKER },
          { path: "/apps", body: `{"name":"${MARKER}\\n","environment":"${CARD}"}`, headers: team },
          { path: `/apps/${MARKER}/api-keys`, body: `{"name":"x","scopes":["${MARKER}"]}`, headers: team },
          { path: "/apps", body: "{}", headers: { ...team, "idempotency-key": `${MARKER} ${CARD}` } },
          { path: "/fingerprint", body: JSON.stringify({ token: CARD, [CARD]: 1 }) },
          // Apps whose keys are in an HSM have no data subjects.
          { path: "/encrypt", body: '"x"', headers: { "x-service-data-subject": PERSON } },
          ...["/encrypt", "/data-subjects/key"].map((path) => ({
            path,
            body: path === "/encrypt" ? '"x"' : "",
            headers: { authorization: foreign, "x-service-data-subject": `${PERSON} ${MARKER}` },
          })),
        )
        const secrets = [MARKER, CARD, PERSON, token, sandbox.apiKey, production.apiKey, ready.teamKey]
        let refusals = 0
        for (const attempt of attempts) {
          const answer = await send(attempt)
          if (answer.status < 300) continue
          refusals++
          expect(answer.status).toBeLessThan(500)
          const told = answer.text + answer.headers
          expect(secrets.filter((secret) => told.includes(secret))).toEqual([])
        }
        expect(refusals).toBeGreaterThan(150)

        const ofPerson = { authorization: foreign, "x-service-data-subject": PERSON }
        const personal = await send({ path: "/encrypt", body: '"x"', headers: ofPerson })
        expect(personal.text).toContain("ev:c3cy:")
        const { id } = JSON.parse(
          (await send({ path: "/data-subjects/key", body: "", headers: ofPerson })).text,
        )
        const erasing = { method: "DELETE", headers: { authorization: foreign } }
        expect((await fetch(`${ready.url}/data-subjects/${id}`, erasing)).status).toBe(200)

        const dataRole = { slug: "leaks", name: "Leaks", accessLog: "strict" }
        await send({ path: "/data-roles", body: JSON.stringify(dataRole) })
        await send({
          path: "/data-policies",
          body: JSON.stringify({ ...policyOf({}), roles: ["leaks"], conditions: {} }),
        })
        const sealed = await send({
          path: "/encrypt",
          body: `{"${MARKER}":"${CARD}"}`,
          headers: { "x-service-data-role": "leaks" },
        })
        for (const body of [`{"${CARD}":"${token}"}`, sealed.text]) {
          expect((await send({ path: `/decrypt?${MARKER}=${CARD}`, body })).status).toBe(200)
        }
        const maskedRole = { slug: "masked", name: "Masked", mask: { type: "last", count: 4 } }
        await send({ path: "/data-roles", body: JSON.stringify(maskedRole) })
        const masks = { ...policyOf({ reveal: "masked" }), roles: ["masked"], conditions: {} }
        await send({ path: "/data-policies", body: JSON.stringify(masks) })
        const inMasked = { headers: { "x-service-data-role": "masked" } }
        const masked = await send({ path: "/encrypt", body: `["${CARD}"]`, ...inMasked })
        for (const [reveal, status] of [
          ["masked", 200],
          ["full", 403],
          [CARD, 400],
        ] as const) {
          const headers = { "x-service-reveal": String(reveal) }
          const answer = await send({ path: "/decrypt", body: masked.text, headers })
          expect(answer.status).toBe(status)
          const told = answer.text + answer.headers
          expect(secrets.filter((secret) => told.includes(secret))).toEqual([])
        }

        const listed = async (path: string, headers: Record<string, string>) =>
          (await fetch(ready.url + path, { headers })).text()
        let onRecord = ""
        await vi.waitFor(
          async () => {
            onRecord = await listed("/access-logs?limit=100", owner)
            expect(onRecord.match(/"access_/g)).toHaveLength(3)
          },
          { timeout: 10_000, interval: 100 },
        )
        onRecord += await listed("/audit-logs?limit=100", team)
        expect(onRecord).toContain("decryption.performed")
        expect(
          [...secrets, ...(JSON.stringify(sealed.text).match(/ev:[^"\\]+/g) ?? [])].filter((secret) =>
            onRecord.includes(secret),
          ),
        ).toEqual([])

        await stop()
        const logged = stdout().slice(stdout().indexOf("\n") + 1) + stderr()
        expect(logged.match(/"request refused"/g)?.length).toBeGreaterThan(120)
        expect(secrets.filter((secret) => logged.includes(secret))).toEqual([])
        for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
          const path = join(entry.parentPath, entry.name)
          if (entry.isFile())
            expect({ [path]: (await readFile(path)).includes(PERSON) }).toEqual({ [path]: false })
        }
      }),
    90_000,
  )
})
