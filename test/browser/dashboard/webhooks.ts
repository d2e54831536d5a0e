import { startReceiver } from "@sealway/http/testing"
import { expect, test } from "vitest"
import * as z from "zod"
import {
  appPath,
  describePage,
  expectAccessible,
  openPage,
  service,
  takePicture,
  WAIT_MS,
} from "./harness.ts"

describePage("the webhooks of an app", () => {
  test("are added with a secret shown once, get a test event, and are deleted after their host was typed", async () => {
    await using receiver = await startReceiver((_request, response) => response.end())
    const url = `${receiver.url}hook`
    const { page, press, write, choose, removeTags, keys } = await openPage(appPath("webhooks"))
    await page.getByText("Events are sent nowhere").waitFor()
    await expectAccessible(page)
    await press("Add an endpoint")
    await page.getByRole("dialog").waitFor()
    await write("URL", url)
    await write("Description", "Our shop")
    await press("Add")
    await page.getByText("Store the signing secret now").waitFor()
    await press("Show for 15 seconds")
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? ""
    await expectAccessible(page)
    await press("I have stored it")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await page.content()).not.toContain(secret)

    await press("Send a test event")
    await choose("Type", "payments.card.updated")
    await press("Send")
    await page.getByRole("heading", { level: 1, name: "payments.card.updated" }).waitFor()
    await page.getByText("1 attempt, the last one").waitFor()
    await page.getByText("(status 200)").waitFor()
    await page.getByLabel("data of the event", { exact: true }).waitFor()
    // The audit log's own events arrive too.
    expect(receiver.received.some(({ body }) => body.includes("payments.card.updated"))).toBe(true)
    await expectAccessible(page)
    await takePicture(page, "webhook-event")

    await press("All events")
    await press(`Send a test to ${url}`)
    await page.getByText("(status 200)").waitFor()
    await page.goBack()
    await press(`Edit ${url}`)
    await removeTags("Events", 1)
    await page.getByText("Choose at least one.").waitFor()
    await write("Events", "relay")
    await keys("ArrowDown", "Enter")
    await write("Description", "Our new shop")
    await press("Save")
    await page.getByText("Our new shop").waitFor()
    await press(`Rotate secret of ${url}`)
    await press("Rotate")
    await page.getByText("Store the new signing secret now").waitFor()
    await press("I have stored it")
    await expectAccessible(page)
    await takePicture(page, "webhooks")
    await press(`Delete ${url}`)
    await write(/to confirm$/, new URL(url).host)
    await press("Delete")
    await page.getByText("Events are sent nowhere").waitFor()
  })

  test("show each attempt that failed, and are sent again when they are replayed", async () => {
    let isBroken = true
    await using receiver = await startReceiver((_request, response) => {
      // 410 says that it wants no more: the event has failed, and the endpoint is disabled.
      response.writeHead(isBroken ? 410 : 200).end()
    })
    const created = await service.post("/webhook-endpoints", {
      url: `${receiver.url}hook`,
      events: ["relay.error"],
    })
    const { id } = z.object({ id: z.string() }).parse(created.json)
    await service.post("/webhook-events", { type: "relay.error" })
    const { page, press } = await openPage(appPath("webhooks?status=failed&type=relay.error"))
    await press("relay.error")
    await page.getByText("Not accepted (status 410)").waitFor()
    // The attempt is recorded before the endpoint is disabled.
    const status = async () =>
      z.object({ status: z.string() }).parse((await service.get(`/webhook-endpoints/${id}`)).json).status
    await expect.poll(status, { timeout: WAIT_MS }).toBe("disabled")
    isBroken = false
    await service.patch(`/webhook-endpoints/${id}`, { status: "enabled" })
    await press("Replay")
    await press("Replay")
    await page.getByText("(status 200)").waitFor()
    await expect.poll(() => receiver.received.length, { timeout: WAIT_MS }).toBe(2)
    expect(receiver.received[1]?.headers["webhook-id"]).toBe(receiver.received[0]?.headers["webhook-id"])
  })

  test("can be read and not changed by an auditor", async () => {
    const { page } = await openPage(appPath("webhooks"), "auditor")
    await page.getByRole("table", { name: "Endpoints" }).waitFor()
    expect(await page.getByRole("button", { name: /Add|Send|Delete|Rotate|Disable/ }).count()).toBe(0)
  })
})
