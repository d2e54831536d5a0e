import { isToken } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { actionOn, routeWith } from "./testing/routes.ts"
import { createHandlerWorld, headerIn } from "./testing/world.ts"

type InterimAnswer = [status: number, rawHeaders: readonly string[]]

const actionOnHeader = (action: "encrypt" | "decrypt", role: string | null = null) =>
  routeWith({ response: [{ action, selections: [{ type: "header", selector: "X-Card", role }] }] })

/** Sends a request to a destination that sends 1xx answers first. */
async function hear(route: ReturnType<typeof routeWith>, said: readonly InterimAnswer[]) {
  const world = await createHandlerWorld({ routes: [route] }, ({ onInformation }) => {
    for (const [status, rawHeaders] of said) onInformation?.(status, rawHeaders)
    return { headers: ["X-Last", "1"] }
  })
  const told: InterimAnswer[] = []
  const reply = await world.send({ onInformation: (...information) => told.push(information) })
  return { told, reply, world }
}

describe("a 1xx answer", () => {
  test("contains nothing that only a relay may say, leads no client around it, and has no length", async () => {
    const forged = [
      "Link",
      "</a>",
      "X-Service-Error-Code",
      "forbidden",
      "alt-svc",
      "h3",
      "Content-Length",
      "5",
    ]
    const { told } = await hear(routeWith({}), [[103, forged]])
    expect(told).toEqual([[103, ["Link", "</a>"]]])
  })

  test("has its selected headers sealed, and comes before the answer and in order", async () => {
    const { told, reply } = await hear(actionOnHeader("encrypt"), [
      [103, ["X-Card", "4242", "Link", "</a>"]],
      [102, []],
    ])
    expect(reply.status).toBe(200)
    expect(told.map(([status]) => status)).toEqual([103, 102])
    expect(isToken(headerIn(told[0]?.[1], "x-card") ?? "")).toBe(true)
    expect(headerIn(told[0]?.[1], "link")).toBe("</a>")
  })

  test("does not contain the id of a data subject that is for the relay", async () => {
    const dataSubject = { type: "header", selector: "X-Service-Data-Subject" } as const
    const action = { ...actionOn("encrypt", "$.name"), dataSubject }
    const said: InterimAnswer = [103, ["x-service-data-subject", "4711", "Link", "</a>"]]
    expect((await hear(routeWith({ response: [action] }), [said])).told).toEqual([[103, ["Link", "</a>"]]])
  })

  test("is dropped when it cannot be changed, and the answer still comes", async () => {
    const { told, reply, world } = await hear(actionOnHeader("encrypt", "archived"), [
      [103, ["X-Card", "4242"]],
    ])
    expect(told).toEqual([])
    expect(reply.status).toBe(200)
    expect(world.logged).toEqual([])
  })

  test("is forwarded a hundred times and no more", async () => {
    const said = Array.from({ length: 150 }, (): InterimAnswer => [102, []])
    expect((await hear(routeWith({}), said)).told).toHaveLength(100)
    expect((await hear(actionOnHeader("encrypt"), said)).told).toHaveLength(100)
  })
})
