import { expect, test } from "vitest"
import { basic } from "../../support/service.ts"
import { appPath, describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

describePage("the keys of an app", () => {
  test("are created, shown once, rotated with an overlap, and revoked after their name was typed", async () => {
    const { page, press, write, choose, tabTo, removeTags, keys } = await openPage(appPath("keys"))
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
    await press("Create an API key")
    await page.getByRole("dialog").waitFor()
    await write("Name", "Checkout server")
    await write("Scopes", "api:decr")
    await tabTo("Name")
    await page.getByText("“api:decr” is no choice").waitFor()
    await keys("Enter")
    expect(await page.getByText("Store the API key now").count()).toBe(0)
    await write("Scopes", "api:decr")
    await keys("Enter")
    await page.getByRole("dialog").getByText("api:decrypt", { exact: true }).first().waitFor()
    // The text is gone, and Enter takes neither another choice nor the form.
    await keys("Enter")
    expect(await page.getByText("Store the API key now").count()).toBe(0)
    await press("Create")
    await page.getByText("Store the API key now").waitFor()
    expect(await page.getByText(/swk_/).count()).toBe(0)
    await press("Show for 15 seconds")
    const key = (await page.getByText(/^swk_/).textContent()) ?? ""
    const answer = await fetch(`${service.url}/keys`, {
      headers: { authorization: basic({ user: service.sandbox.app.id, key }) },
    })
    expect(answer.status).toBe(200)
    await expectAccessible(page)
    await press("I have stored it")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("cell", { name: "Checkout server", exact: true }).waitFor()
    await page.getByRole("row", { name: "Checkout server" }).getByText("api:decrypt").waitFor()
    expect(await page.content()).not.toContain(key)

    await press("Remove scopes of Checkout server")
    await removeTags("Scopes that it keeps", 1)
    await press("Save")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("row", { name: "Checkout server" }).getByText("Encrypts only").waitFor()

    await press("Change the limits of Checkout server")
    await write("Requests a second", "7")
    await expectAccessible(page)
    await press("Save")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await press("Change the limits of Checkout server")
    expect(await page.getByLabel("Requests a second").inputValue()).toBe("7")
    await press("Cancel")

    await press("Rotate Checkout server")
    await choose("The old key works for", "1 hour")
    await press("Rotate")
    await page.getByText("Store the new API key now").waitFor()
    await press("I have stored it")
    await page.getByText(/^Works until .*, 59 minutes \d+ seconds? more$/).waitFor()

    await press("Revoke Checkout server")
    const revoke = page.getByRole("button", { name: "Revoke", exact: true })
    expect(await revoke.isDisabled()).toBe(true)
    await write("Type Checkout server to confirm", "Checkout server")
    await expectAccessible(page)
    await press("Revoke")
    await page.getByText(/^Revoked/).waitFor()
    await expectAccessible(page)
    await takePicture(page, "keys")
  })

  test("stay on the screen until they are stored: after Escape, on the way back, without an overlap", async () => {
    const { page, press, write, choose, keys } = await openPage(appPath())
    await press("Keys")
    await press("Create an API key")
    await write("Name", "Batch job")
    await press("Create")
    const secret = page.getByText("Store the API key now")
    await secret.waitFor()
    await keys("Escape")
    expect(await page.getByRole("button", { name: "Close" }).isDisabled()).toBe(true)
    await page.evaluate("history.back()")
    await page.getByText("If you leave this page now, the API key is lost.").waitFor()
    await press("Stay")
    expect(await secret.isVisible()).toBe(true)
    const closeTab = `dispatchEvent(new Event("beforeunload", { cancelable: true }))`
    expect(await page.evaluate(closeTab)).toBe(false)
    await press("I have stored it")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    expect(await page.evaluate(closeTab)).toBe(true)

    await press("Rotate Batch job")
    await choose("The old key works for", "No longer")
    await press("Rotate")
    await page.getByText("Store the new API key now").waitFor()
    await press("I have stored it")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })

  test("get another version of their encryption keys", async () => {
    const { page, press } = await openPage(appPath("keys"))
    const before = await page
      .getByLabel("public key (P-256, compressed, base64)", { exact: true })
      .textContent()
    await press("Rotate the encryption keys")
    await press("Rotate")
    await page.getByText(/New values are encrypted with key version 2/).waitFor()
    const versions = page.getByRole("table", { name: "Key versions" })
    await versions.getByRole("cell", { name: "2", exact: true }).waitFor()
    expect(await versions.getByText("Encrypted by KMS").count()).toBe(2)
    expect(before).toMatch(/^[A-Za-z0-9+/]{44}/)
  })

  test("offer an auditor no change", async () => {
    const { page } = await openPage(appPath("keys"), "auditor")
    await page.getByRole("table", { name: "API keys" }).waitFor()
    expect(await page.getByRole("button", { name: /Rotate|Revoke|Create/ }).count()).toBe(0)
  })
})
