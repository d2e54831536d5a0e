import { expect, test } from "vitest"
import * as z from "zod"
import {
  describePage,
  expectAccessible,
  openPage,
  pressByKeyboard,
  service,
  takePicture,
  typeByKeyboard,
} from "./harness.ts"

describePage("the apps of a team", () => {
  test("are listed with links, page by page, and created by keyboard alone", async () => {
    for (let count = 0; count < 51; count++) {
      const app = { name: `Shop ${count}`, environment: "sandbox" }
      await service.post("/apps", app, { auth: service.team.auth })
    }
    const page = await openPage("/dashboard/team/apps")
    await page.getByText("50 shown", { exact: true }).waitFor()
    await pressByKeyboard(page, "Create an app")
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

  test("are renamed, and disabled after their name was typed, in their settings", async () => {
    const app = { name: "Old name", environment: "production" }
    const { json } = await service.post("/apps", app, { auth: service.team.auth })
    const { id } = z.object({ id: z.string() }).parse(json)
    const page = await openPage(`/dashboard/apps/${id}/settings`)
    await page.getByLabel("Name", { exact: true }).waitFor()
    await typeByKeyboard(page, "Name", "New name")
    await typeByKeyboard(page, "Allowed origins", "http://shop.example.com")
    await page.keyboard.press("Enter")
    await pressByKeyboard(page, "Review and save")
    await page.getByText("The app is called New name.").waitFor()
    await pressByKeyboard(page, "Save")
    await page.getByRole("alert").getByText("/allowedOrigins/0").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByLabel("Clear the origins").click()
    await page.getByRole("combobox", { name: "Allowed origins" }).fill("https://shop.example.com")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Review and save" }).click()
    await page.getByText("Only pages of https://shop.example.com may embed its frames.").waitFor()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Of New name, a production app.", { exact: false }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "app-settings")
    await page.getByRole("button", { name: "Disable the app" }).click()
    await page.getByLabel("Type New name to confirm").fill("New name")
    await page.getByRole("button", { name: "Disable", exact: true }).click()
    await page.getByRole("heading", { name: "The app is disabled" }).waitFor()
    const shown = await service.get(`/apps/${id}`, { auth: service.team.auth })
    expect(shown.json).toMatchObject({ name: "New name", status: "disabled" })
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
