import { expect, test } from "vitest"
import { appPath, describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

const CARD = "4111111111111111"

describePage("the playground", () => {
  test("encrypts JSON with a role, compares fingerprints, and decrypts with a key that it forgets", async () => {
    await service.newRole(service.sandbox.app, "play")
    const { page, press, write, choose } = await openPage(appPath("playground"))
    await page.getByRole("textbox", { name: "JSON" }).waitFor()
    await write("JSON", `{"card": "${CARD}", "again": ["${CARD}"], "none": null}`)
    await choose("Data role", "play")
    await press("Encrypt")
    await page.getByLabel("tokens", { exact: true }).getByText("ev:").waitFor()
    await press("Show fingerprints")
    await page.getByText("visa card, 1111").first().waitFor()
    const shown = await page
      .getByRole("table", { name: "Fingerprints" })
      .locator("td:last-child")
      .allTextContents()
    expect(shown).toHaveLength(2)
    expect(shown[0]).toBe(shown[1])

    await write("API key", "swk_wrong")
    await press("Decrypt")
    await page.getByRole("alert").waitFor()
    await write("API key", service.sandbox.auth.key)
    await press("Decrypt")
    await page.getByText("Not permitted").waitFor()
    await expectAccessible(page)

    await choose("Data role", "None")
    const tokens = page.getByLabel("tokens", { exact: true })
    await page.getByText("The JSON or the role has changed since: encrypt again.").waitFor()
    expect(await tokens.count()).toBe(0)
    expect(await page.getByRole("table", { name: "Fingerprints" }).count()).toBe(0)
    await press("Encrypt")
    await tokens.waitFor()
    await press("Decrypt")
    await page.getByLabel("decrypted values", { exact: true }).getByText(CARD).first().waitFor()
    await press("Hide the values")
    await page.getByLabel("decrypted values", { exact: true }).waitFor({ state: "detached" })
    await press("Home")
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
    const { page, press, write, pick } = await openPage(appPath("playground"))
    await write("JSON", `{\n  "a": 1,\n  "b" 2\n}`)
    await page.getByText("This is not JSON: look at line 3, column 7.").waitFor()
    expect(await page.getByRole("button", { name: "Encrypt", exact: true }).isDisabled()).toBe(true)
    await write("JSON", `{\n  "name": "Ada Lovelace",\n  "card": "4242424242424242"\n}`)
    await press("Encrypt")
    await page.getByLabel("tokens", { exact: true }).waitFor()
    await pick("Python")
    await page.getByText("requests.post(").waitFor()
    await expectAccessible(page)
    await takePicture(page, "playground")
  })
})
