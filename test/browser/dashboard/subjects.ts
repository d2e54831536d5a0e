import { expect, test } from "vitest"
import * as z from "zod"
import { appPath, describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

/** Encrypts for a data subject. @returns the token */
async function encryptFor(reference: string, { auth } = service.sandbox): Promise<string> {
  const headers = { "x-service-data-subject": reference }
  const sealed = await service.post("/encrypt", ["Ada Lovelace"], { headers, auth })
  return z.tuple([z.string()]).parse(sealed.json)[0]
}

async function idOf(reference: string, { auth } = service.sandbox): Promise<string> {
  const headers = { "x-service-data-subject": reference }
  const { json } = await service.get("/data-subjects", { headers, auth })
  return z.object({ data: z.tuple([z.object({ id: z.string() })]) }).parse(json).data[0].id
}

describePage("the data subjects of an app", () => {
  test("are found by the team's own id, which no address has, and erased after their id was typed", async () => {
    const { page, press, write } = await openPage(appPath("data-subjects"))
    await page.getByText("This app has no data subject").waitFor()
    await expectAccessible(page)
    const token = await encryptFor("4711")
    await write("Your id of a person", "4712")
    await press("Find")
    await page.getByText("None, or it is erased").waitFor()
    await write("Your id of a person", "two words")
    await press("Find")
    await page.getByRole("alert").waitFor()
    await expectAccessible(page)
    await write("Your id of a person", "4711")
    await press("Find")
    const title = page.getByRole("heading", { level: 1, name: /^data_subject_/ })
    await title.waitFor()
    const id = (await title.textContent()) ?? ""
    expect(page.url()).toMatch(new RegExp(`/data-subjects/${id}$`))
    await expectAccessible(page)

    await press("Erase")
    await page.getByText("The key is destroyed at once. This cannot be undone.").waitFor()
    await write(`Type ${id} to confirm`, id)
    await expectAccessible(page)
    await press("Erase")
    await page.getByText("The key is destroyed", { exact: true }).waitFor()
    expect(await page.getByRole("button", { name: "Erase" }).count()).toBe(0)
    await expectAccessible(page)
    expect(await service.post("/decrypt", [token])).toMatchObject({ status: 422 })
    await press("All data subjects")
    await page.getByRole("row", { name: id }).getByText("erased", { exact: true }).waitFor()
    await expectAccessible(page)
  })

  test("are restored within the app's undo window", async () => {
    const { app, auth } = service.production
    const token = await encryptFor("4711", service.production)
    const id = await idOf("4711", service.production)
    const { page, press, write } = await openPage(`/dashboard/apps/${app.id}/data-subjects/${id}`)
    await press("Erase")
    await page.getByText("For 7 days this can be undone.").waitFor()
    await write(`Type ${id} to confirm`, id)
    await press("Erase")
    await page.getByText(/^Its values cannot be decrypted. The key is destroyed in 6 days 23 hours/).waitFor()
    await expectAccessible(page)
    await takePicture(page, "data-subject")
    await press("Undo the erasure")
    await press("Undo")
    await page.getByText("active", { exact: true }).waitFor()
    await expect
      .poll(async () => (await service.post("/decrypt", [token], { auth })).status, { timeout: 12_000 })
      .toBe(200)
  })

  test("can be read and not erased by an auditor", async () => {
    await encryptFor("0815")
    const { page, press } = await openPage(appPath("data-subjects"), "auditor")
    await press(await idOf("0815"))
    await page.getByText("active", { exact: true }).waitFor()
    expect(await page.getByRole("button", { name: /Erase|Undo/ }).count()).toBe(0)
  })
})
