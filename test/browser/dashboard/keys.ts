import { expect, test } from "vitest"
import { basic } from "../../support/service.ts"
import {
  appPath,
  describePage,
  expectAccessible,
  openPage,
  pressByKeyboard,
  service,
  takePicture,
  typeByKeyboard,
} from "./harness.ts"

describePage("the keys of an app", () => {
  test("are created, shown once, rotated with an overlap, and revoked after their name was typed", async () => {
    const page = await openPage(appPath("keys"))
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    await pressByKeyboard(page, "Create an API key")
    await page.getByRole("dialog").waitFor()
    await typeByKeyboard(page, "Name", "Checkout server")
    await typeByKeyboard(page, "Scopes", "api:decrypt")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await pressByKeyboard(page, "Create")
    await page.getByText("Store the API key now").waitFor()
    expect(await page.getByText(/swk_/).count()).toBe(0)
    await page.getByRole("button", { name: "Show for 15 seconds" }).click()
    const key = (await page.getByText(/^swk_/).textContent()) ?? ""
    const answer = await fetch(`${service.url}/keys`, {
      headers: { authorization: basic({ user: service.sandbox.app.id, key }) },
    })
    expect(answer.status).toBe(200)
    await expectAccessible(page)
    await page.getByRole("button", { name: "I have stored it" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("cell", { name: "Checkout server", exact: true }).waitFor()
    expect(await page.content()).not.toContain(key)

    await page.getByRole("button", { name: "Remove scopes of Checkout server" }).click()
    await page.getByLabel("Clear the scopes").click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("row", { name: "Checkout server" }).getByText("Encrypts only").waitFor()

    await page.getByRole("button", { name: "Rotate Checkout server" }).click()
    await page.getByLabel("The old key works for").selectOption("1 hour")
    await page.getByRole("button", { name: "Rotate", exact: true }).click()
    await page.getByText("Store the new API key now").waitFor()
    await page.getByRole("button", { name: "I have stored it" }).click()
    await page.getByText(/^Works until .*, 59 minutes \d+ seconds? more$/).waitFor()

    await page.getByRole("button", { name: "Revoke Checkout server" }).first().click()
    const revoke = page.getByRole("button", { name: "Revoke", exact: true })
    expect(await revoke.isDisabled()).toBe(true)
    await page.getByLabel("Type Checkout server to confirm").fill("Checkout server")
    await expectAccessible(page)
    await revoke.click()
    await page.getByText(/^Revoked/).waitFor()
    await expectAccessible(page)
    await takePicture(page, "keys")
  })

  test("get another version of their encryption keys", async () => {
    const page = await openPage(appPath("keys"))
    const before = await page
      .getByLabel("public key (P-256, compressed, base64)", { exact: true })
      .textContent()
    await page.getByRole("button", { name: "Rotate the encryption keys" }).click()
    await page.getByRole("button", { name: "Rotate", exact: true }).click()
    await page.getByText(/New values are encrypted with key version 2/).waitFor()
    const versions = page.getByRole("table", { name: "Key versions" })
    await versions.getByRole("cell", { name: "2", exact: true }).waitFor()
    expect(await versions.getByText("Encrypted by KMS").count()).toBe(2)
    expect(before).toMatch(/^[A-Za-z0-9+/]{44}/)
  })

  test("offer an auditor no change", async () => {
    const page = await openPage(appPath("keys"), "auditor")
    await page.getByRole("table", { name: "API keys" }).waitFor()
    expect(await page.getByRole("button", { name: /Rotate|Revoke|Create/ }).count()).toBe(0)
  })
})
