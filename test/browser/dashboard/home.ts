import { expect, test } from "vitest"
import { describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

describePage("the home of an app", () => {
  test("shows first steps, then what was encrypted, decrypted and refused, with the reason", async () => {
    const { app, auth } = await service.newApp("sandbox")
    await service.newRole(app, "closed")
    const { page, press, tabTo, keys } = await openPage(`/dashboard/apps/${app.id}`)
    await page.getByRole("heading", { name: "First steps" }).waitFor()
    await page.getByText("No decryption was refused.").waitFor()
    await page.getByText(/^Sealway .* is well$/).waitFor()
    await expectAccessible(page)
    const open = await service.post("/encrypt", { a: 1, b: [2, 3] }, { auth })
    await service.post("/decrypt", open.json, { auth })
    const headers = { "x-service-data-role": "closed" }
    const closed = await service.post("/encrypt", ["4"], { auth, headers })
    expect((await service.post("/decrypt", closed.json, { auth })).status).toBe(403)
    // Figures appear within 10 seconds, and the page asks for them every 10.
    await page.locator("figcaption").getByText("encrypted 4, decrypted 3").waitFor({ timeout: 30_000 })
    await page.locator("figcaption").getByText("refused 1, errors 0").waitFor()
    await page
      .getByRole("table", { name: "Latest refusals" })
      .getByText("closed: No policy permits it.")
      .waitFor()
    await page.getByRole("heading", { name: "First steps" }).waitFor({ state: "detached" })
    await tabTo("1 day")
    await keys("ArrowLeft")
    await page.waitForURL(/span=hour/)
    await page.locator("figcaption").getByText("encrypted 4, decrypted 3").waitFor()
    expect(await page.getByRole("link", { name: "Home" }).getAttribute("aria-current")).toBe("page")
    await press("As a table")
    await expectAccessible(page)
    await keys("Enter")
    await takePicture(page, "home")
  })
})
