import { expect, test } from "vitest"
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

const CARD = "4111111111111111"

describePage("the playground", () => {
  test("encrypts JSON with a role, compares fingerprints, and decrypts with a key that it forgets", async () => {
    await service.newRole(service.sandbox.app, "play")
    const page = await openPage(appPath("playground"))
    await page.getByRole("textbox", { name: "JSON" }).waitFor()
    await typeByKeyboard(page, "JSON", `{"card": "${CARD}", "again": ["${CARD}"], "none": null}`)
    await tabTo(page, "Data role")
    await page.keyboard.type("play")
    await pressByKeyboard(page, "Encrypt")
    await page.getByLabel("tokens", { exact: true }).getByText("ev:").waitFor()
    await pressByKeyboard(page, "Show fingerprints")
    await page.getByText("visa card, 1111").first().waitFor()
    const shown = await page
      .getByRole("table", { name: "Fingerprints" })
      .locator("td:last-child")
      .allTextContents()
    expect(shown).toHaveLength(2)
    expect(shown[0]).toBe(shown[1])

    const key = page.getByRole("textbox", { name: "API key" })
    await key.fill("swk_wrong")
    await page.getByRole("button", { name: "Decrypt", exact: true }).click()
    await page.getByRole("alert").waitFor()
    await key.fill(service.sandbox.auth.key)
    await page.getByRole("button", { name: "Decrypt", exact: true }).click()
    await page.getByText("Not permitted").waitFor()
    await expectAccessible(page)

    await page.getByLabel("Data role").selectOption("")
    const encrypted = page.waitForResponse(`${service.url}/encrypt`)
    await page.getByRole("button", { name: "Encrypt", exact: true }).click()
    await encrypted
    await page.getByRole("button", { name: "Decrypt", exact: true }).click()
    await page.getByLabel("decrypted values", { exact: true }).getByText(CARD).first().waitFor()
    await page.getByRole("button", { name: "Hide the values" }).click()
    await page.getByLabel("decrypted values", { exact: true }).waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Home" }).click()
    await page.getByRole("textbox", { name: "JSON" }).waitFor({ state: "detached" })
    await page.goBack()
    expect(await page.getByRole("textbox", { name: "JSON" }).inputValue()).not.toContain(CARD)
    const kept = await page.evaluate(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])",
    )
    expect(kept).not.toContain(CARD)
    expect(kept).not.toContain(service.sandbox.auth.key)
  })

  test("says where JSON is wrong, and writes the same request for programs", async () => {
    const page = await openPage(appPath("playground"))
    await page.getByRole("textbox", { name: "JSON" }).fill(`{\n  "a": 1,\n  "b" 2\n}`)
    await page.getByText("This is not JSON: look at line 3, column 7.").waitFor()
    expect(await page.getByRole("button", { name: "Encrypt", exact: true }).isDisabled()).toBe(true)
    await page
      .getByRole("textbox", { name: "JSON" })
      .fill(`{\n  "name": "Ada Lovelace",\n  "card": "4242424242424242"\n}`)
    await page.getByRole("button", { name: "Encrypt", exact: true }).click()
    await page.getByLabel("tokens", { exact: true }).waitFor()
    await page.getByText("Python").click()
    await page.getByText("requests.post(").waitFor()
    await expectAccessible(page)
    await takePicture(page, "playground")
  })
})
