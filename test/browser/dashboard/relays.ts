import { startReceiver } from "@sealway/http/testing"
import { expect, test, vi } from "vitest"
import * as z from "zod"
import { type RelayDestination, startRelayDestination } from "../../support/relay-destination.ts"
import { sendToRelay } from "../../support/relay-request.ts"
import {
  appPath,
  describePage,
  expectAccessible,
  openPage,
  service,
  takePicture,
  WAIT_MS,
} from "./harness.ts"

const relaySchema = z.object({ id: z.string(), relayDomain: z.string() })
const CARD = "4242424242424242"
const JSON_TYPE = { "content-type": "application/json" }
const ROUTE = {
  method: "POST",
  path: "/orders",
  request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card.number" }] }],
}

async function createRelay({ destinationDomain }: RelayDestination, settings: object = {}) {
  const answer = await service.post("/relays", { destinationDomain, routes: [ROUTE], ...settings })
  return relaySchema.parse(answer.json)
}

const send = (relayDomain: string, body: string) =>
  sendToRelay(service.service.relayUrl, { relayDomain, path: "/orders", headers: JSON_TYPE, body })

describePage("the relays of an app", () => {
  test("are created, and get routes by clicking the fields of a sample", async () => {
    await using destination = await startRelayDestination()
    await service.newRole(service.sandbox.app, "card-data")
    const { page, press, write, choose, keys } = await openPage(appPath("relays"))
    await page.getByRole("heading", { level: 1, name: "Relays" }).waitFor()
    await press("Create a relay")
    await page.getByRole("dialog").waitFor()
    await write("Destination", destination.destinationDomain)
    await keys("Enter")
    await page.getByRole("heading", { level: 1, name: destination.destinationDomain }).waitFor()
    await page.getByText("Everything passes unchanged").waitFor()

    await write("Path and query", "/orders?source=web")
    await press("Use an example")
    await page.getByText("card number, not selected").waitFor()
    await press("number")
    const choice = page.getByRole("dialog", { name: "Select number" })
    await choice.getByText("$.card.number").waitFor()
    await choose("Data role", "card-data")
    await expectAccessible(page)
    await press("Select in the request")
    await page.getByText("encrypt as card-data", { exact: true }).waitFor()
    expect(await page.getByText("card number, not selected").count()).toBe(0)
    await page.getByText("1 matched").waitFor()
    await page.getByText(/"number": "ev:/).waitFor()

    // A field of every item of a list, selected by keyboard alone.
    await press("note")
    await page.getByRole("dialog", { name: "Select note" }).waitFor()
    await press("Select in the request")
    await expect.poll(() => page.locator('[data-mark="encrypt"]').count(), { timeout: WAIT_MS }).toBe(3)
    await page.getByText("2 matched").waitFor()

    await write("Selector of selection 2 of the request of route 1", "$.items[")
    await page.getByText(/^At character \d+/).waitFor()
    await write("Selector of selection 2 of the request of route 1", "$.items[*].note")
    await page.getByText("2 matched").waitFor()
    await expectAccessible(page)
    await takePicture(page, "relay-test-bench")

    await press("Review and save")
    await page.getByText("POST /orders, request: encrypt json $.card.number as card-data").waitFor()
    await press("Save")
    await page.getByText("The routes are not saved yet").waitFor({ state: "detached" })
    const [relay] = z
      .object({ data: z.array(relaySchema.extend({ routes: z.array(z.json()) })) })
      .parse((await service.get("/relays?limit=1")).json).data
    expect(relay?.routes).toEqual([
      {
        method: "POST",
        path: "/orders",
        request: [
          {
            action: "encrypt",
            selections: [
              { type: "json", selector: "$.card.number", role: "card-data" },
              { type: "json", selector: "$.items[*].note" },
            ],
          },
        ],
        response: [],
      },
    ])
    expect(destination.arrived).toEqual([])
    await press("Relays")
    await page.getByRole("link", { name: destination.destinationDomain }).waitFor()
    await expectAccessible(page)
  })

  test("show what is selected in forms and XML, in headers and in responses", async () => {
    await using destination = await startRelayDestination()
    const { id } = await createRelay(destination, {
      routes: [
        {
          path: "/**",
          request: [
            {
              action: "encrypt",
              selections: [
                { type: "xml", selector: "$.order.item['@id']" },
                { type: "form", selector: "card" },
                { type: "header", selector: "X-Patient" },
              ],
            },
          ],
          response: [{ action: "encrypt", selections: [{ selector: "$..['it\\'s']" }] }],
        },
      ],
    })
    const { page, press, write, choose, pick, keys } = await openPage(appPath(`relays/${id}`))
    const marked = page.locator('[data-mark="encrypt"]')
    await write("Headers", "X-Patient: 123")
    await choose("Content type", "application/xml")
    await write("Body", '<order><item id="1">a</item><item id="2">b</item><total>3</total></order>')
    await expect.poll(() => marked.count(), { timeout: WAIT_MS }).toBe(3)
    await press("total")
    await page.getByText("$.order.total", { exact: true }).waitFor()
    await keys("Escape")
    await choose("Content type", "application/x-www-form-urlencoded")
    await write("Body", "card=4242+4242&name=Ann")
    await expect.poll(() => marked.count(), { timeout: WAIT_MS }).toBe(2)
    await pick("Response")
    await write("Body", '{"list":[{"it\'s":"secret"}]}')
    await expect.poll(() => marked.count(), { timeout: WAIT_MS }).toBe(1)
    await page.getByText(/"it's":"ev:/).waitFor()
  })

  test("list their requests as they arrive, and an alert leads to the one that failed", async () => {
    await using destination = await startRelayDestination((_request, response) => response.end())
    await using receiver = await startReceiver((_request, response) => response.end())
    const { id, relayDomain } = await createRelay(destination, { leakWatch: "alert" })
    const alert = { type: "chat", url: `${receiver.url}chat` }
    await service.post(`/relays/${id}/alerts`, alert)
    const { page, press, choose, pick } = await openPage(appPath(`relays/${id}?tab=activity`))
    await page.getByText("No request yet").waitFor()
    await send(relayDomain, `{"card":{"number":"${CARD}"},"note":"${CARD}"}`)
    await page.getByText("1 encrypted").waitFor()
    await page.getByText("1 leak").waitFor()
    await send(relayDomain, "{")
    await page.getByText("bad-request", { exact: true }).last().waitFor()
    await choose("Status", "2XX")
    await expect.poll(() => new URL(page.url()).searchParams.get("status"), { timeout: WAIT_MS }).toBe("2XX")
    await expect.poll(() => page.getByRole("row").count(), { timeout: WAIT_MS }).toBe(2)
    await choose("Status", "Every status")
    await expectAccessible(page)
    await takePicture(page, "relay-activity")

    const text = await vi.waitFor(
      () => {
        const found = receiver.received.find(({ body }) => body.includes("bad-request"))
        expect(found).toBeDefined()
        return found?.body ?? ""
      },
      { timeout: WAIT_MS },
    )
    const link = /https?:\/\/[^\s"]+/.exec(text)?.[0] ?? ""
    expect(link).toContain(`${service.url}${appPath(`relays/${id}/activity/relay_activity_`)}`)
    await page.goto(link)
    await page.getByText("The relay refused the request: the destination has not seen it.").waitFor()
    await expectAccessible(page)
    await press("All requests through this relay")
    await pick("Alerts and leaks")
    await page.getByText("Places with leaks in the latest 2 requests: 1").waitFor()
    await page.getByRole("cell", { name: "$['note'] in the request" }).waitFor()
    await expectAccessible(page)
  })

  test("that pass what they do not describe are tightened, after a look at the requests that this would refuse", async () => {
    await using destination = await startRelayDestination((_request, response) => response.end())
    const { id, relayDomain } = await createRelay(destination, { passContentTypes: ["*", "image/png"] })
    const { page, press, pick } = await openPage(appPath(`relays/${id}?tab=activity`))
    await page.getByText("This relay passes what it does not describe").waitFor()
    await sendToRelay(service.service.relayUrl, {
      relayDomain,
      path: "/other",
      headers: JSON_TYPE,
      body: "{}",
    })
    await page.getByText("(no route)").waitFor()
    await press("Tighten")
    await page.getByText("Of the latest 1 requests, 1 would have been refused.").waitFor()
    await page.getByRole("cell", { name: "no route matches it" }).waitFor()
    await expectAccessible(page)
    await press("Tighten")
    await page.getByText("This relay passes what it does not describe").waitFor({ state: "detached" })
    const answer = await service.get(`/relays/${id}`)
    expect(answer.json).toMatchObject({ unmatched: "refuse", passContentTypes: ["image/png"], warnings: [] })
    await pick("Settings")
    await page.getByLabel("A request that no route matches, if the relay encrypts").waitFor()
    await expectAccessible(page)
  })

  test("get custom domains with their records, and are deleted after their name was typed", async () => {
    await using destination = await startRelayDestination()
    const { id } = await createRelay(destination)
    const { page, press, toggle, write, pick } = await openPage(appPath(`relays/${id}?tab=domains`))
    await write("Domain", "pay.example.com")
    await press("Add a domain")
    await page.getByRole("table", { name: "DNS records of pay.example.com" }).waitFor()
    await press("Check the records")
    await page.getByText(/The TXT record is missing/).waitFor()
    await expectAccessible(page)
    await pick("Settings")
    await toggle(/^Requests need an API key of this app/)
    await press("Review and save")
    await page.getByText("authentication: none becomes api-key").waitFor()
    await press("Save")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await expectAccessible(page)
    await press("Delete the relay")
    await write(/to confirm$/, destination.destinationDomain)
    await press("Delete")
    await page.getByRole("heading", { level: 1, name: "Relays" }).waitFor()
    expect(await service.get(`/relays/${id}`)).toMatchObject({ status: 404 })
  })

  test("can be read and tried, and not changed, by an auditor", async () => {
    await using destination = await startRelayDestination()
    const { id } = await createRelay(destination)
    const { page, press, pick } = await openPage(appPath(`relays/${id}`), "auditor")
    await press("Use an example")
    await page.getByText("1 matched").waitFor()
    await press("Remove route 1")
    await page.getByText("They are only tried: your role cannot save them.").waitFor()
    await pick("Settings")
    expect(await page.getByRole("button", { name: /save|Delete|Create/ }).count()).toBe(0)
  })
})
