import { beforeAll, expect, test } from "vitest"
import * as z from "zod"
import { CARD, MERCHANT } from "../../support/payment-requests.ts"
import { BROWSER_STEP, CHALLENGE_NUMBER, THREE_DS_SESSION } from "../../support/three-d-secure-requests.ts"
import {
  appPath,
  describePage,
  expectAccessible,
  openPage,
  service,
  takePicture,
  WAIT_MS,
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
    const { page, press, tabTo, write, keys } = await openPage(appPath("payments"))
    await page.getByText("No card is registered").waitFor()
    await expectAccessible(page)
    await create("/payments/cards", CARD)
    await create("/payments/cards", { ...CARD, number: "5555555555554444" })
    await create("/payments/network-tokens", { card: CARD, merchant })
    await page.reload()
    await page.getByRole("link", { name: "mastercard 55555555…4444" }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "cards")
    await write("Last four digits", "4242")
    await page.getByRole("link", { name: "mastercard" }).waitFor({ state: "detached" })
    expect(page.url()).toMatch(/lastFour=.*4242/)
    await press("visa 42424242…4242")
    await page.getByRole("table", { name: "Card" }).getByText("active").waitFor()
    await expectAccessible(page)
    expect(await page.content()).not.toContain(CARD.number)
    await press("Delete")
    await write("Type 4242 to confirm", "4242")
    await press("Delete")
    await page.getByRole("link", { name: "mastercard" }).waitFor()

    await tabTo("Cards")
    await keys("ArrowRight")
    await press("visa …4242")
    await page.getByRole("table", { name: "Network token" }).getByText("vts").waitFor()
    await expectAccessible(page)
    await press("Delete")
    await write("Type 4242 to confirm", "4242")
    await press("Delete")
    await page.getByText("There is no network token").waitFor()
  })

  test("show the messages of a 3-D Secure session as a timeline, while the cardholder is asked", async () => {
    const card = { ...THREE_DS_SESSION.card, number: CHALLENGE_NUMBER }
    const id = await create("/payments/3ds-sessions", { ...THREE_DS_SESSION, card })
    const { page, press } = await openPage(appPath("payments?tab=sessions&status=action-required"))
    await press("visa …3030")
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
    await press("The message")
    await page.getByText("************3030").waitFor()
    await expectAccessible(page)
    await press("All 3-D Secure sessions")
    await page.getByText("cancelled").waitFor()
    await expectAccessible(page)
  })

  test("show where a merchant is enrolled, and change its services", async () => {
    const { page, press, write, keys } = await openPage(appPath("payments?tab=merchants"))
    await write("Name contains", "corner")
    await press(MERCHANT.name)
    await page.getByRole("cell", { name: "Network tokens of visa" }).waitFor()
    await page.getByText("refunds every dispute").waitFor()
    await press("Change its services")
    await write("Refund disputes up to", "50.001")
    await write("Currency", "eur")
    await page.getByText("Not an amount of this currency.").waitFor()
    await write("Refund disputes up to", "50")
    await write("Apple Pay domains", "pay.example.com")
    await keys("Enter")
    await expectAccessible(page)
    await press("Save")
    await page.getByText("refunds disputes up to €50.00").waitFor()
    await page.getByRole("cell", { name: "Apple Pay on pay.example.com" }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "merchant")
  })

  test("show acquirers with their state at each network, create, edit and delete them", async () => {
    const { page, press, toggle, write } = await openPage(appPath("payments?tab=acquirers"))
    await page.getByText("There is no acquirer").waitFor()
    await expectAccessible(page)
    await press("Create an acquirer")
    await write("Name", "Harbour Bank")
    await toggle("Visa")
    await write("Visa BIN", "400000")
    // The sandbox refuses this one.
    await write("Visa merchant identifier", "1000001")
    await write("Visa country", "ie")
    await expectAccessible(page)
    await press("Create")
    await page.getByRole("heading", { level: 1, name: "Harbour Bank" }).waitFor()
    const enrolments = page.getByRole("table", { name: "Enrolments" })
    await enrolments.getByText("failed").waitFor()
    await page.getByText("Yes: 3-D Secure sessions without an acquirer use it").waitFor()
    await expectAccessible(page)
    await press("Edit")
    await write("Description", "For the shops in Ireland")
    await write("Visa merchant identifier", "123456")
    await toggle("Mastercard")
    await write("Mastercard BIN", "500000")
    await write("Mastercard merchant identifier", "123456")
    await write("Mastercard country", "IE")
    await press("Save")
    await page.getByText("For the shops in Ireland").waitFor()
    await expect.poll(() => enrolments.getByText("active").count(), { timeout: WAIT_MS }).toBe(2)
    await expectAccessible(page)
    await takePicture(page, "acquirer")
    await press("All acquirers")
    await page.getByRole("row", { name: "Harbour Bank" }).getByText("default").waitFor()
    await expectAccessible(page)
    await press("Harbour Bank")
    await press("Delete")
    await write("Type Harbour Bank to confirm", "Harbour Bank")
    await expectAccessible(page)
    await press("Delete")
    await page.getByText("There is no acquirer").waitFor()
  })

  test("let an alert be answered once, with the amount that was refunded", async () => {
    const simulation = { merchant, network: "ethoca", amount: 1_000, currency: "eur" }
    const id = await create("/payments/pre-chargeback-alerts/simulate", simulation)
    const { page, press, write, choose } = await openPage(appPath("payments?tab=alerts&status=open"))
    await page.getByRole("link", { name: "€10.00" }).waitFor()
    await press("€10.00")
    await page.getByRole("button", { name: "Answer" }).waitFor()
    await press("Answer")
    await page.getByRole("dialog").waitFor()
    await choose("Outcome", "Refunded in part")
    await write("Refunded amount in EUR", "4")
    await expectAccessible(page)
    await press("Answer")
    await page.getByText("partially-refunded, €4.00").waitFor()
    expect(await page.getByRole("button", { name: "Answer" }).count()).toBe(0)
    await expectAccessible(page)
    expect((await service.get(`/payments/pre-chargeback-alerts/${id}`)).json).toMatchObject({
      status: "resolved",
      outcome: "partially-refunded",
      refundedAmount: 400,
    })
    await press("All alerts")
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
    const { page, press, upload } = await openPage(appPath("payments?tab=bin-tables"))
    await page.getByText("The team has no BIN table").waitFor()
    await press("Import a table")
    await upload("CSV file", fileOf([...lines.slice(0, 3_000), "40009999,,elo,Nobody"]))
    await press("Import")
    await page.getByText(/^Record 3001, brand: /).waitFor()
    await expectAccessible(page)
    await upload("CSV file", fileOf(lines))
    await press("Import")
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
    const { page } = await openPage(appPath("payments?tab=bin-tables"), "auditor")
    await page.getByRole("table", { name: "BIN tables" }).waitFor()
    await page.goto(`${service.url}${appPath(`payments/merchants/${merchant}`)}`)
    await page.getByRole("table", { name: "Enrolments" }).waitFor()
    expect(await page.getByRole("button", { name: /Import|Delete|Change|Activate/ }).count()).toBe(0)
  })
})
