import { createId, type IdPrefix } from "@sealway/kernel"
import { appPartition, type Item } from "@sealway/ports"
import { zipSync } from "fflate"
import { describe, expect, test } from "vitest"
import { idOf, newSlug, policyOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { type Identity, useService } from "../support/service.ts"

const service = useService()

const ROOM = 2
const AT_ONCE = 6
const ZIP = zipSync({ "index.mjs": Buffer.from("export const handler = () => 1") })

/** A kind of record whose number is limited, and how another one is made. */
interface LimitedKind {
  readonly max: number
  readonly path: string
  readonly body: (number: number) => object
  readonly idPrefix: IdPrefix
  /** Where the app's records of this kind are stored. */
  readonly sortPrefix: string
  /** The attributes each record has besides its id, when its sort key does not end with the id. */
  readonly own?: (number: number) => { readonly sk: string; readonly [attribute: string]: unknown }
}

const recordsOf = ({ app }: Identity, sortPrefix: string) =>
  service.service.platform.configTable.list(appPartition(app.id), sortPrefix)

/** Fills a limit except for some room: copies a record that a request has made. */
async function fill(
  owner: Identity,
  { max, path, body, idPrefix, sortPrefix, own }: LimitedKind,
): Promise<void> {
  const first = await service.post(path, body(0), { auth: owner.auth })
  expect(first.status, first.text).toBeLessThan(300)
  const [made] = await recordsOf(owner, sortPrefix)
  for (let number = 1; number < max - ROOM; number++) {
    const id = createId(idPrefix, 1_600_000_000_000 + number)
    const copy: Item & { readonly sk: string } = { ...made, id, sk: sortPrefix + id, ...own?.(number) }
    await service.service.platform.configTable.put({ pk: appPartition(owner.app.id), sk: copy.sk }, copy)
  }
}

/** Sends concurrent requests that each need some of the room that is left. */
async function expectNoMoreThanTheLimit(owner: Identity, limited: LimitedKind): Promise<void> {
  await fill(owner, limited)
  const { auth } = owner
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) =>
      service.post(limited.path, limited.body(1_000 + index), { auth }),
    ),
  )
  const refused = answers.filter(({ status }) => status >= 300)
  for (const answer of refused) expectProblem(answer, "conflict")
  expect(refused).toHaveLength(AT_ONCE - ROOM)
  expect(await recordsOf(owner, limited.sortPrefix)).toHaveLength(limited.max)
  expectProblem(await service.post(limited.path, limited.body(2_000), { auth }), "conflict")
}

async function newRole({ auth }: Identity): Promise<string> {
  const slug = newSlug()
  expect((await service.post("/data-roles", { slug, name: slug }, { auth })).status).toBe(201)
  return slug
}

async function newRelay({ auth }: Identity): Promise<string> {
  const answer = await service.post("/relays", { destinationDomain: "one.example" }, { auth })
  expect(answer.status, answer.text).toBe(201)
  return idOf(answer.json)
}

describe("concurrent requests create no more", () => {
  test("data roles of an app than 200", async () => {
    await expectNoMoreThanTheLimit(await service.newApp("sandbox"), {
      max: 200,
      path: "/data-roles",
      body: (number) => ({ slug: `limit-${number}`, name: "A role" }),
      idPrefix: "role",
      sortPrefix: "data-role#",
      own: (number) => ({ sk: `data-role#limit-${number}`, slug: `limit-${number}` }),
    })
  })

  test("data policies of an app than 500", async () => {
    const owner = await service.newApp("sandbox")
    const role = await newRole(owner)
    await expectNoMoreThanTheLimit(owner, {
      max: 500,
      path: "/data-policies",
      body: () => policyOf(role),
      idPrefix: "policy",
      sortPrefix: "data-policy#",
      own: (number) => {
        const id = createId("policy", 1_600_000_000_000 + number)
        return { id, sk: `data-policy#${id}`, roles: [] }
      },
    })
  })

  test("data policies of a role than 100", async () => {
    const owner = await service.newApp("sandbox")
    const role = await newRole(owner)
    await expectNoMoreThanTheLimit(owner, {
      max: 100,
      path: "/data-policies",
      body: () => policyOf(role),
      idPrefix: "policy",
      sortPrefix: "data-policy#",
    })
  })

  test("webhook endpoints of an app than 50", async () => {
    await expectNoMoreThanTheLimit(await service.newApp("sandbox"), {
      max: 50,
      path: "/webhook-endpoints",
      body: () => ({ url: "https://receiver.example/", events: ["relay.error"] }),
      idPrefix: "webhook_endpoint",
      sortPrefix: "webhook-endpoint#",
    })
  })

  test("relays of an app than 200, and leave nothing of refused ones", async () => {
    const owner = await service.newApp("sandbox")
    await expectNoMoreThanTheLimit(owner, {
      max: 200,
      path: "/relays",
      body: (number) => ({ destinationDomain: `d${number}.example` }),
      idPrefix: "relay",
      sortPrefix: "relay-at#",
      own: (number) => {
        const destination = { scheme: "https", host: `d${number}.example`, port: 443 }
        return { sk: `relay-at#${destination.host}:443`, destination }
      },
    })
    expect(await recordsOf(owner, "relay#")).toHaveLength(1 + ROOM)
  })

  test("custom domains of a relay than 50", async () => {
    const owner = await service.newApp("sandbox")
    const relay = await newRelay(owner)
    await expectNoMoreThanTheLimit(owner, {
      max: 50,
      path: `/relays/${relay}/custom-domains`,
      body: (number) => ({ domain: `pay-${number}.customer.example` }),
      idPrefix: "custom_domain",
      sortPrefix: `relay-custom-domain#${relay}#`,
    })
  })

  test("alerts of a relay than 10", async () => {
    const owner = await service.newApp("sandbox")
    const relay = await newRelay(owner)
    await expectNoMoreThanTheLimit(owner, {
      max: 10,
      path: `/relays/${relay}/alerts`,
      body: () => ({ type: "webhook", url: "https://receiver.example/" }),
      idPrefix: "relay_alert",
      sortPrefix: `relay-alert#${relay}#`,
    })
  })

  test("functions of an app than 100", async () => {
    await expectNoMoreThanTheLimit(await service.newApp("sandbox"), {
      max: 100,
      path: "/functions",
      body: (number) => ({
        name: `limit-${number}`,
        language: "node@24",
        handler: "index.mjs",
        code: Buffer.from(ZIP).toString("base64"),
      }),
      idPrefix: "func",
      sortPrefix: "function#",
      own: (number) => ({ sk: `function#limit-${number}`, name: `limit-${number}` }),
    })
  })
})

test("policies attached to a role than 100, and leave refused ones unchanged", async () => {
  const owner = await service.newApp("sandbox")
  const { auth } = owner
  const [role, other] = [await newRole(owner), await newRole(owner)]
  await fill(owner, {
    max: 100,
    path: "/data-policies",
    body: () => policyOf(role),
    idPrefix: "policy",
    sortPrefix: "data-policy#",
  })
  const ids = []
  for (let count = 0; count < AT_ONCE; count++) {
    ids.push(idOf((await service.post("/data-policies", policyOf(other), { auth })).json))
  }
  const answers = await Promise.all(
    ids.map((id) => service.patch(`/data-policies/${id}`, { roles: [other, role], name: "More" }, { auth })),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  for (const answer of refused) expectProblem(answer, "conflict")
  expect(refused).toHaveLength(AT_ONCE - ROOM)
  for (const [index, id] of ids.entries()) {
    const { json } = await service.get(`/data-policies/${id}`, { auth })
    const isChanged = answers[index]?.status === 200
    expect(json).toMatchObject(
      isChanged ? { roles: [other, role], name: "More" } : { roles: [other], name: "A policy" },
    )
  }
})
