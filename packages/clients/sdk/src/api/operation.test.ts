import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import { InvalidIdError } from "../errors/errors.ts"
import { JsonText } from "../requests/json-text.ts"
import type { ApiRequest, Transport } from "../requests/transport.ts"
import { operation } from "./operation.ts"

interface ChangeThing {
  readonly thingId: string
  readonly body: { readonly amount: number }
}
const changeThing = operation<ChangeThing, unknown>({
  method: "PATCH",
  path: "/things/{thing_id}",
  body: ["application/json"],
})

/** A transport that answers everything, and what it was asked to send. */
function recorder() {
  const sent: ApiRequest[] = []
  const transport: Transport = {
    async send(request) {
      sent.push(request)
      return { status: 200, headers: new Headers(), content: {} }
    },
  }
  return { sent, transport }
}

describe("a body of JSON text", () => {
  test("is sent as it is spelled, with every digit", async () => {
    const { sent, transport } = recorder()
    const content = '{ "amount": 12345678901234567890.10 }'
    await changeThing(transport, { thingId: "1", body: new JsonText(content) })
    expect(sent[0]?.body).toEqual({ contentType: "application/json", content })
  })

  test("shows nothing of itself when it is printed", () => {
    const body = new JsonText('{"card":"marker"}')
    expect(`${inspect(body, { depth: 9, showHidden: true })}${JSON.stringify(body)}${body}`).not.toContain(
      "marker",
    )
  })
})

test.each(["", ".", "..", "\ud800"])(
  "an id that nothing can have (%j) is refused, and nothing is sent",
  async (thingId) => {
    const { sent, transport } = recorder()
    const call = changeThing(transport, { thingId, body: { amount: 1 } })
    await expect(call).rejects.toThrow(InvalidIdError)
    await expect(call).rejects.toThrow(TypeError)
    expect(sent).toEqual([])
  },
)
