import { expect, test } from "vitest"
import { describePage, expectAccessible, openPage, service, tabTo } from "./harness.ts"

describePage("the apps of a team", () => {
  test("are listed with links, page by page, and created by keyboard alone", async () => {
    for (let count = 0; count < 51; count++) {
      const app = { name: `Shop ${count}`, environment: "sandbox" }
      await service.post("/apps", app, { auth: service.team.auth })
    }
    const page = await openPage("/dashboard/team/apps")
    await page.getByText("50 shown", { exact: true }).waitFor()
    await tabTo(page, "Create an app")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.type("Kiosk")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Kiosk" }).waitFor()
    await page.goBack()
    await page.getByRole("button", { name: "Show older" }).click()
    await page.getByText(/^5\d shown, all of them$/).waitFor()
    await page.getByRole("link", { name: "Shop 50" }).click()
    await page.getByRole("heading", { level: 1, name: "Shop 50" }).waitFor()
  })

  test("can be read and not created by an auditor", async () => {
    const page = await openPage("/dashboard/team/apps", "auditor")
    await page.getByRole("table", { name: "Apps" }).waitFor()
    expect(await page.getByRole("button", { name: "Create an app" }).count()).toBe(0)
    await expectAccessible(page)
    await page.locator("time").first().hover()
    await page
      .getByRole("tooltip")
      .getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
      .waitFor()
    await expectAccessible(page)
  })
})
