import { expect, test } from "vitest"
import * as z from "zod"
import { describePage, expectAccessible, members, openPage, service, takePicture } from "./harness.ts"

describePage("the team", () => {
  test("invites somebody, changes a role, and removes a member after their name was typed", async () => {
    const dev = await members().signIn("developer")
    const id = await members().idOf(dev)
    const { json } = await service.get(`/members/${id}`, { auth: service.team.auth })
    const { email } = z.object({ email: z.string() }).parse(json)
    const page = await openPage("/dashboard/team/members")
    await page.getByRole("button", { name: "Invite somebody" }).click()
    await page.getByRole("textbox", { name: "E-mail address" }).fill("grace@example.com")
    await page.getByRole("dialog").getByLabel("Role").selectOption("auditor")
    await page.getByRole("button", { name: "Invite", exact: true }).click()
    await page.getByText("Nothing was sent").waitFor()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("cell", { name: "grace@example.com", exact: true }).waitFor()
    await page.getByRole("button", { name: `Change the role of ${email}` }).click()
    await page.getByRole("dialog").getByLabel("Role").selectOption("auditor")
    await page.getByRole("button", { name: "Change", exact: true }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("button", { name: `Remove ${email}` }).click()
    await page.getByLabel(`Type ${email} to confirm`).fill(email)
    await expectAccessible(page)
    await page.getByRole("button", { name: "Remove", exact: true }).click()
    await page.getByRole("cell", { name: email, exact: true }).waitFor({ state: "detached" })
    await page.getByText("This one").waitFor()
    await expectAccessible(page)
    await takePicture(page, "members")
  })

  test("verifies the chain of its audit log in the browser, and filters it by the address", async () => {
    const page = await openPage("/dashboard/team/audit-log?action=app.*", "auditor")
    await page.getByRole("cell", { name: "app.create" }).first().waitFor()
    expect(await page.getByRole("cell", { name: "member.create" }).count()).toBe(0)
    await page.getByRole("button", { name: "Verify the chain" }).click()
    await page.getByText(/^All \d+ records are as they were written$/).waitFor()
    await page.getByRole("textbox", { name: "Action" }).fill("nothing.*")
    await page.getByRole("heading", { name: "No record matches" }).waitFor()
    expect(page.url()).toContain("action=nothing")
    await page.getByRole("textbox", { name: "Action" }).fill("invitation.*")
    await page.getByRole("cell", { name: "invitation.create" }).first().waitFor()
    await expectAccessible(page)
    await takePicture(page, "audit-log")
  })

  test("sees a record that was changed on its way", async () => {
    const page = await openPage("/dashboard/team/audit-log")
    await page.route("**/audit-logs?*", async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      await route.fulfill({ response, body: text.replace('"action":"app.create"', '"action":"app.delete"') })
    })
    await page.getByRole("button", { name: "Verify the chain" }).click()
    await page.getByText(/is not what was written there/).waitFor()
  })
})
