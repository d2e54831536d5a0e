import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createSecureContext } from "node:tls"
import type { ConnectorOperation } from "@sealway/payments/testing"
import {
  CONNECTOR_OPERATIONS,
  type ConnectorTarget,
  createConnectorClient,
  createConnectorDocument,
} from "@sealway/payments/testing"
import {
  ADD_CARD_2_2_0,
  BROWSER_2_2_0,
  BROWSER_2_3_1,
  MERCHANT_2_2_0,
  MERCHANT_2_3_1,
} from "@sealway/three-d-secure/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { arbitraryOf } from "../support/arbitrary-of-schema.ts"
import { createConnectorCertificates } from "../support/connector-certificates.ts"

const AREQS = [BROWSER_2_2_0, BROWSER_2_3_1, MERCHANT_2_2_0, MERCHANT_2_3_1, ADD_CARD_2_2_0]
const FILE = "../../packages/service/payments/connector.openapi.yaml"

test("checks connectors by exactly what their document says", async () => {
  // Update it with `npm test -- test/payments/connector-document --update`.
  await expect(stringify(createConnectorDocument(), { lineWidth: 120 })).toMatchFileSnapshot(FILE)
})

describe("a connector written from the document alone", () => {
  const document = parse(readFileSync(join(import.meta.dirname, FILE), "utf8"))
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema(document, "document")
  const pointerOf = (path: string, rest: string) =>
    `document#/paths/${path.replaceAll("/", "~1")}/post/${rest}/content/application~1json/schema`
  const resolve = (reference: string) =>
    reference
      .slice(2)
      .split("/")
      .reduce((at, part) => at[part.replaceAll("~1", "/")], document)
  const answers = new Map<string, unknown>()
  const refusals: unknown[] = []
  const certificates = createConnectorCertificates()
  const { server: pair, client: own, authority } = certificates
  const server = createServer(
    { key: pair.privateKey, cert: pair.certificate, ca: authority, requestCert: true },
    async (request, response) => {
      const body = JSON.parse(Buffer.concat(await Array.fromAsync<Buffer>(request)).toString())
      const path = request.url ?? ""
      const isValid = ajv.getSchema(pointerOf(path, "requestBody"))
      if (isValid?.(body) !== true) refusals.push({ path, errors: isValid?.errors })
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers.get(path)))
    },
  )
  /** Starts a new one each time, so that no circuit opens. */
  const ask = async (
    target: ConnectorTarget,
    operation: ConnectorOperation<unknown, unknown>,
    request: unknown,
  ) => {
    const clocks = { now: () => 0, wallClock: () => 1_700_000_000_000 }
    const client = createConnectorClient({ allowPrivate: true, newRequestId: () => "msg_1", ...clocks })
    try {
      return await client.ask(target, operation, request)
    } catch {
      return null
    } finally {
      await client.close()
    }
  }
  beforeAll(async () => {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
  })

  test.each(Object.entries(CONNECTOR_OPERATIONS))(
    "is understood, and understands, by %s",
    async (_, declared) => {
      // One type for all operations: the schema checks what is sent, as the client does.
      const operation: ConnectorOperation<unknown, unknown> = declared
      const { path } = operation
      const { port } = server.address() as AddressInfo
      const { certificate: cert, privateKey: key } = own
      const secureContext = createSecureContext({ cert, key, ca: authority })
      const target = {
        appId: "app_1",
        connectorId: "1",
        revision: 1,
        url: `https://127.0.0.1:${port}`,
        secrets: [],
        openTls: () => secureContext,
      }
      const { requestBody, responses } = document.paths[path].post
      const schemaOf = (place: { content: Record<string, { schema: unknown }> }) =>
        arbitraryOf(place.content["application/json"]?.schema, resolve)
      // Elements of AReqs depend on one another: they are made up whole, not one by one.
      const requests =
        path === CONNECTOR_OPERATIONS.authenticate.path
          ? fc.constantFrom(...AREQS).map((areq) => ({ directoryServer: "visa", areq }))
          : schemaOf(requestBody)
      let understood = 0
      await fc.assert(
        fc.asyncProperty(requests, schemaOf(responses[200]), async (request, answer) => {
          fc.pre(operation.request.safeParse(request).success)
          // The client refuses this name anywhere, which no schema of the document can say.
          fc.pre(!JSON.stringify(answer).includes('"__proto__"'))
          const isValid = ajv.getSchema(pointerOf(path, "responses/200"))
          const isAnswer = isValid?.(answer) === true
          answers.set(path, answer)
          const told = await ask(target, operation, request)
          // The client accepts what the document allows as an answer, and nothing else.
          expect(told !== null).toBe(isAnswer)
          if (isAnswer) understood += 1
        }),
        { numRuns: 20 },
      )
      expect(refusals).toEqual([])
      expect(understood).toBeGreaterThan(0)
    },
  )
})
