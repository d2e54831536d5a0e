import { expect, test } from "vitest"
import * as z from "zod"
import { startReceiver } from "../../../packages/platform/src/egress/testing/receiver.ts"
import {
  appPath,
  describePage,
  expectAccessible,
  openPage,
  pressByKeyboard,
  service,
  takePicture,
  typeByKeyboard,
  WAIT_MS,
} from "./harness.ts"

describePage("the webhooks of an app", () => {
  test("are added with a secret shown once, get a test event, and are deleted after their host was typed", async () => {
    await using receiver = await startReceiver((_request, response) => response.end())
    const url = `${receiver.url}hook`
    const page = await openPage(appPath("webhooks"))
    await page.getByText("Events are sent nowhere").waitFor()
    await expectAccessible(page)
    await pressByKeyboard(page, "Add an endpoint")
    await page.getByRole("dialog").waitFor()
    await typeByKeyboard(page, "URL", url)
    await typeByKeyboard(page, "Description", "Our shop")
    await pressByKeyboard(page, "Add")
    await page.getByText("Store the signing secret now").waitFor()
    await page.getByRole("button", { name: "Show for 15 seconds" }).click()
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? ""
    await expectAccessible(page)
    await page.getByRole("button", { name: "I have stored it" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await page.content()).not.toContain(secret)

    await page.getByRole("button", { name: "Send a test event" }).click()
    await page.getByRole("dialog").getByLabel("Type").selectOption("payments.card.updated")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "payments.card.updated" }).waitFor()
    await page.getByText("1 attempt, the last one").waitFor()
    await page.getByText("(status 200)").waitFor()
    await page.getByLabel("data of the event", { exact: true }).waitFor()
    // The audit log's own events arrive too.
    expect(receiver.received.some(({ body }) => body.includes("payments.card.updated"))).toBe(true)
    await expectAccessible(page)
    await takePicture(page, "webhook-event")

    await page.getByRole("link", { name: "All events" }).click()
    await page.getByLabel(`Send a test to ${url}`).click()
    await page.getByText("(status 200)").waitFor()
    await page.goBack()
    await page.getByLabel(`Edit ${url}`).click()
    await page.getByLabel("Clear the events").click()
    await page.getByText("Choose at least one.").waitFor()
    await page.getByRole("combobox", { name: "Events" }).fill("relay")
    await page.getByRole("listbox", { name: "Events" }).getByRole("option", { name: "relay.error" }).click()
    await page.getByLabel("Description").fill("Our new shop")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Our new shop").waitFor()
    await page.getByLabel(`Rotate secret of ${url}`).click()
    await page.getByRole("button", { name: "Rotate", exact: true }).click()
    await page.getByText("Store the new signing secret now").waitFor()
    await page.getByRole("button", { name: "I have stored it" }).click()
    await expectAccessible(page)
    await takePicture(page, "webhooks")
    await page.getByLabel(`Delete ${url}`).click()
    await page.getByLabel(/to confirm$/).fill(new URL(url).host)
    await page.getByRole("button", { name: "Delete", exact: true }).click()
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
    const page = await openPage(appPath("webhooks?status=failed&type=relay.error"))
    await page.getByRole("link", { name: "relay.error" }).click()
    await page.getByText("Not accepted (status 410)").waitFor()
    isBroken = false
    await service.patch(`/webhook-endpoints/${id}`, { status: "enabled" })
    await page.getByRole("button", { name: "Replay" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click()
    await page.getByText("(status 200)").waitFor()
    await expect.poll(() => receiver.received.length, { timeout: WAIT_MS }).toBe(2)
    expect(receiver.received[1]?.headers["webhook-id"]).toBe(receiver.received[0]?.headers["webhook-id"])
  })

  test("can be read and not changed by an auditor", async () => {
    const page = await openPage(appPath("webhooks"), "auditor")
    await page.getByRole("table", { name: "Endpoints" }).waitFor()
    expect(await page.getByRole("button", { name: /Add|Send|Delete|Rotate|Disable/ }).count()).toBe(0)
  })
})
