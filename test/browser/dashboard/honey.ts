import { expect, test } from "vitest"
import * as z from "zod"
import { appPath, describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

const tokenSchema = z.object({ id: z.string(), token: z.string() })

describePage("the honey tokens of an app", () => {
  test("are created with an API key that stays in the dialog, show who touched them, and are deleted", async () => {
    await service.newRole(service.sandbox.app, "decoys")
    const { page, press, write, choose } = await openPage(appPath("honey-tokens"))
    await page.getByText("This app has no honey token").waitFor()
    await expectAccessible(page)
    await press("Create a honey token")
    await write("Name", "Backup of May")
    await choose("Content", "A made-up e-mail address")
    await choose("Data role", "decoys")
    await write("Alert URL", "ftp://chat.example.com")
    await choose("What is posted", "A text, for a chat tool")
    await write("API key", "swk_wrong")
    await press("Create")
    await page.getByText("The API key was not accepted").waitFor()
    await expectAccessible(page)
    await write("API key", service.sandbox.auth.key)
    await press("Create")
    await page.getByRole("alert").getByText("/alert/url").waitFor()
    await write("Alert URL", "")
    await press("Create")
    await page.getByRole("heading", { level: 1, name: "Backup of May" }).waitFor()
    await page.getByText("Nobody has touched it").waitFor()
    await expectAccessible(page)
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(
      service.sandbox.auth.key,
    )

    const token = (await page.getByLabel("honey token", { exact: true }).textContent()) ?? ""
    expect(await service.post("/decrypt", [token])).toMatchObject({ status: 403 })
    await page.getByText("Somebody has tried to decrypt it").waitFor()
    const touches = page.getByRole("table", { name: "Touches" })
    await touches.getByRole("cell", { name: "endpoint decrypt" }).waitFor()
    await touches.getByRole("cell", { name: /^API key key_/ }).waitFor()
    await expectAccessible(page)
    await takePicture(page, "honey-token")

    await press("All honey tokens")
    await page.getByRole("row", { name: "Backup of May" }).getByText("touched", { exact: true }).waitFor()
    await expectAccessible(page)
    await press("Backup of May")
    await press("Delete")
    await write("Type Backup of May to confirm", "Backup of May")
    await expectAccessible(page)
    await press("Delete")
    await page.getByText("This app has no honey token").waitFor()
    expect(await service.post("/decrypt", [token])).toMatchObject({ status: 403 })
  })

  test("are like another token of the app", async () => {
    const sealed = await service.post("/encrypt", ["4242424242424242"])
    const [like = ""] = z.array(z.string()).parse(sealed.json)
    const { page, press, write, choose } = await openPage(appPath("honey-tokens"))
    await press("Create a honey token")
    await write("Name", "customers, row 4711")
    await choose("Content", "A value like one of your tokens")
    await write("Token", like)
    await write("API key", service.sandbox.auth.key)
    await press("Create")
    await page.getByRole("heading", { level: 1, name: "customers, row 4711" }).waitFor()
    const token = (await page.getByLabel("honey token", { exact: true }).textContent()) ?? ""
    expect(token).toHaveLength(like.length)
  })

  test("can be read and not changed by an auditor", async () => {
    const created = await service.post("/honey-tokens", { name: "Old table", shape: "number" })
    const { id } = tokenSchema.parse(created.json)
    const { page, press } = await openPage(appPath("honey-tokens"), "auditor")
    await press("Old table")
    await page.getByText("Nobody has touched it").waitFor()
    expect(page.url()).toContain(id)
    expect(await page.getByRole("button", { name: /Create|Delete/ }).count()).toBe(0)
  })
})
