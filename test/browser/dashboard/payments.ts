import { beforeAll, expect, test } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT } from "../../support/payment-requests.ts"
import { BROWSER_STEP, CHALLENGE_NUMBER, THREE_DS_SESSION } from "../../support/three-d-secure-requests.ts"
import {
  appPath,
  describePage,
  expectAccessible,
  openPage,
  pressByKeyboard,
  service,
  tabTo,
  takePicture,
  typeByKeyboard,
} from "./harness.ts"

const ALERTS = { verifi: { enabled: true }, ethoca: { enabled: true } }

/** Calls the service, and returns the id of what it created. */
async function create(path: string, body: object): Promise<string> {
  const { status, json, text } = await service.post(path, body)
  expect(status, text).toBeLessThan(300)
  return z.object({ id: z.string() }).parse(json).id
}

describePage("the payments of an app", () => {
  let merchant = ""
  beforeAll(async () => {
    merchant = await create("/payments/merchants", { ...MERCHANT, preChargebackAlerts: ALERTS })
  })

  test("show cards and network tokens by their first and last digits, and delete them after these were typed", async () => {
    const page = await openPage(appPath("payments"))
    await page.getByText("No card is registered").waitFor()
    await expectAccessible(page)
    await create("/payments/cards", CARD)
    await create("/payments/cards", { ...CARD, number: "5555555555554444" })
    await create("/payments/network-tokens", { card: CARD, merchant })
    await page.reload()
    await page.getByRole("link", { name: "mastercard 55555555…4444" }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "cards")
    await page.getByLabel("Last four digits").fill("4242")
    await page.getByRole("link", { name: "mastercard" }).waitFor({ state: "detached" })
    expect(page.url()).toMatch(/lastFour=.*4242/)
    await page.getByRole("link", { name: "visa 42424242…4242" }).click()
    await page.getByRole("table", { name: "Card" }).getByText("active").waitFor()
    await expectAccessible(page)
    expect(await page.content()).not.toContain(CARD.number)
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByLabel("Type 4242 to confirm").fill("4242")
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("link", { name: "mastercard" }).waitFor()

    await tabTo(page, "Cards")
    await page.keyboard.press("ArrowRight")
    await page.getByRole("link", { name: "visa …4242" }).click()
    await page.getByRole("table", { name: "Network token" }).getByText("vts").waitFor()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByLabel("Type 4242 to confirm").fill("4242")
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("There is no network token").waitFor()
  })

  test("show the messages of a 3-D Secure session as a timeline, while the cardholder is asked", async () => {
    const card = { ...THREE_DS_SESSION.card, number: CHALLENGE_NUMBER }
    const id = await create("/payments/3ds-sessions", { ...THREE_DS_SESSION, card })
    const page = await openPage(appPath("payments?tab=sessions&status=action-required"))
    await page.getByRole("link", { name: "visa …3030" }).click()
    await page.getByText("None yet: the cardholder has not opened the session").waitFor()
    const browser = { auth: null, headers: { "x-service-app-id": service.sandbox.app.id } }
    const steps = `/frontend/3ds/browser-sessions/${id}`
    await service.patch(steps, BROWSER_STEP, browser)
    await service.patch(steps, { browserFingerprint: "complete" }, browser)
    await page.getByRole("listitem").filter({ hasText: "The issuer answers: C" }).waitFor()
    await service.patch(steps, { outcome: "cancelled" }, browser)
    await page.getByRole("table", { name: "Session" }).getByText("cancelled").waitFor()
    await page.getByRole("heading", { name: "Messages" }).evaluate("(heading) => heading.scrollIntoView()")
    await takePicture(page, "3ds-session")
    await page.getByText("The message").first().click()
    await page.getByText("************3030").waitFor()
    await expectAccessible(page)
    await page.getByRole("link", { name: "All 3-D Secure sessions" }).click()
    await page.getByText("cancelled").waitFor()
    await expectAccessible(page)
  })

  test("show where a merchant is enrolled, and change its services", async () => {
    const page = await openPage(appPath("payments?tab=merchants"))
    await page.getByLabel("Name contains").fill("corner")
    await page.getByRole("link", { name: MERCHANT.name }).click()
    await page.getByRole("cell", { name: "Network tokens of visa" }).waitFor()
    await page.getByText("refunds every dispute").waitFor()
    await page.getByRole("button", { name: "Change its services" }).click()
    await page.getByLabel("Refund disputes up to").fill("50.001")
    await page.getByLabel("Currency").fill("eur")
    await page.getByText("Not an amount of this currency.").waitFor()
    await page.getByLabel("Refund disputes up to").fill("50")
    await page.getByRole("combobox", { name: "Apple Pay domains" }).fill("pay.example.com")
    await page.keyboard.press("Enter")
    await expectAccessible(page)
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("refunds disputes up to €50.00").waitFor()
    await page.getByRole("cell", { name: "Apple Pay on pay.example.com" }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "merchant")
  })

  test("let an alert be answered once, with the amount that was refunded", async () => {
    const simulation = { merchant, network: "ethoca", amount: 1_000, currency: "eur" }
    const id = await create("/payments/pre-chargeback-alerts/simulate", simulation)
    const page = await openPage(appPath("payments?tab=alerts&status=open"))
    await page.getByRole("link", { name: "€10.00" }).waitFor()
    await pressByKeyboard(page, "€10.00")
    await page.getByRole("button", { name: "Answer" }).waitFor()
    await pressByKeyboard(page, "Answer")
    await page.getByRole("dialog").waitFor()
    await tabTo(page, "Outcome")
    await page.keyboard.type("Refunded in part")
    await typeByKeyboard(page, "Refunded amount in EUR", "4")
    await expectAccessible(page)
    await pressByKeyboard(page, "Answer")
    await page.getByText("partially-refunded, €4.00").waitFor()
    expect(await page.getByRole("button", { name: "Answer" }).count()).toBe(0)
    await expectAccessible(page)
    expect((await service.get(`/payments/pre-chargeback-alerts/${id}`)).json).toMatchObject({
      ...{ status: "resolved", outcome: "partially-refunded", refundedAmount: 400 },
    })
    await page.getByRole("link", { name: "All alerts" }).click()
    await page.getByRole("table", { name: "Pre-chargeback alerts" }).getByText("resolved").waitFor()
    await expectAccessible(page)
  })

  test("import a BIN table whose records are in no order, say which one is wrong, and delete it", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => {
      const digits = String(40_000_000 + ((index * 7_919) % 5_000))
      return `${digits},,visa,"Bank ${index % 3}, one of three"`
    })
    const fileOf = (records: readonly string[]) => ({
      name: "ranges.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(["from,to,brand,issuer", ...records].join("\n")),
    })
    const page = await openPage(appPath("payments?tab=bin-tables"))
    await page.getByText("The team has no BIN table").waitFor()
    await page.getByRole("button", { name: "Import a table" }).click()
    const choose = page.locator('input[type="file"]')
    const start = page.getByRole("button", { name: "Import", exact: true })
    await choose.setInputFiles(fileOf([...lines.slice(0, 3_000), "40009999,,maestro,Nobody"]))
    await start.click()
    await page.getByText(/^Record 3001, brand: /).waitFor()
    await expectAccessible(page)
    await choose.setInputFiles(fileOf(lines))
    await start.click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("table", { name: "BIN tables" }).getByText("active").waitFor()
    await page.getByRole("cell", { name: "5,000" }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "bin-tables")
    const found = await service.post("/payments/bin-lookups", { number: "40000001" })
    expect(found.json).toMatchObject({
      brand: "visa",
      issuer: expect.stringMatching(/^Bank \d, one of three$/),
    })
  })

  test("can be read and not changed by an auditor", async () => {
    const page = await openPage(appPath("payments?tab=bin-tables"), "auditor")
    await page.getByRole("table", { name: "BIN tables" }).waitFor()
    await page.goto(`${service.url}${appPath(`payments/merchants/${merchant}`)}`)
    await page.getByRole("table", { name: "Enrolments" }).waitFor()
    expect(await page.getByRole("button", { name: /Import|Delete|Change|Activate/ }).count()).toBe(0)
  })
})
