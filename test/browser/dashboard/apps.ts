import { expect, test } from "vitest"
import * as z from "zod"
import { describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

describePage("the apps of a team", () => {
  test("are listed with links, page by page, and created by keyboard alone", async () => {
    for (let count = 0; count < 51; count++) {
      const app = { name: `Shop ${count}`, environment: "sandbox" }
      await service.post("/apps", app, { auth: service.team.auth })
    }
    const { page, press, write, keys } = await openPage("/dashboard/team/apps")
    await page.getByText("50 shown", { exact: true }).waitFor()
    await press("Create an app")
    await page.getByRole("dialog").waitFor()
    await write("Name", "Kiosk")
    await keys("Enter")
    await page.getByRole("heading", { level: 1, name: "Kiosk" }).waitFor()
    await page.goBack()
    await press("Show older")
    await page.getByText(/^5\d shown, all of them$/).waitFor()
    await press("Shop 50")
    await page.getByRole("heading", { level: 1, name: "Shop 50" }).waitFor()
  })

  test("are renamed, and disabled after their name was typed, in their settings", async () => {
    const app = { name: "Old name", environment: "production" }
    const { json } = await service.post("/apps", app, { auth: service.team.auth })
    const { id } = z.object({ id: z.string() }).parse(json)
    const { page, press, write, removeTags, keys } = await openPage(`/dashboard/apps/${id}/settings`)
    await page.getByLabel("Name", { exact: true }).waitFor()
    await write("Name", "New name")
    await write("Allowed origins", "http://shop.example.com")
    await keys("Enter")
    await press("Review and save")
    await page.getByText("The app is called New name.").waitFor()
    await press("Save")
    await page.getByRole("alert").getByText("/allowedOrigins/0").waitFor()
    await press("Cancel")
    await removeTags("Allowed origins", 1)
    await write("Allowed origins", "https://shop.example.com")
    await keys("Enter")
    await press("Review and save")
    await page.getByText("Only pages of https://shop.example.com may embed its frames.").waitFor()
    await press("Save")
    await page.getByText("New name is a production app.", { exact: false }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "app-settings")
    await press("Disable the app")
    await write("Type New name to confirm", "New name")
    await press("Disable")
    await page.getByRole("heading", { name: "The app is disabled" }).waitFor()
    const shown = await service.get(`/apps/${id}`, { auth: service.team.auth })
    expect(shown.json).toMatchObject({ name: "New name", status: "disabled" })
  })

  test("can be read and not created by an auditor", async () => {
    const { page, tabTo } = await openPage("/dashboard/team/apps", "auditor")
    await page.getByRole("table", { name: "Apps" }).waitFor()
    expect(await page.getByRole("button", { name: "Create an app" }).count()).toBe(0)
    await expectAccessible(page)
    const time = (await page.locator("time").first().textContent()) ?? ""
    await tabTo(time)
    await page
      .getByRole("tooltip")
      .getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
      .waitFor()
    await expectAccessible(page)
  })
})
