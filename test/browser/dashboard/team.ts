import { expect, test } from "vitest"
import * as z from "zod"
import {
  describePage,
  expectAccessible,
  members,
  openPage,
  pressByKeyboard,
  service,
  tabTo,
  takePicture,
  typeByKeyboard,
} from "./harness.ts"

describePage("the team", () => {
  test("invites somebody, changes a role, and removes a member after their name was typed", async () => {
    const dev = await members().signIn("developer")
    const id = await members().idOf(dev)
    const { json } = await service.get(`/members/${id}`, { auth: service.team.auth })
    const { email } = z.object({ email: z.string() }).parse(json)
    const page = await openPage("/dashboard/team/members")
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor()
    await pressByKeyboard(page, "Invite somebody")
    await page.getByRole("dialog").waitFor()
    await typeByKeyboard(page, "E-mail address", "grace@example.com")
    await tabTo(page, "Role")
    await page.keyboard.type("auditor")
    await pressByKeyboard(page, "Invite")
    await page.getByText("Nothing was sent").waitFor()
    await page.getByRole("button", { name: "Done" }).click()
    await page.getByRole("cell", { name: "grace@example.com", exact: true }).waitFor()
    await page.getByRole("link", { name: email }).click()
    await page.getByRole("table", { name: "Sessions" }).waitFor()
    await expectAccessible(page)
    await page.getByRole("button", { name: /^End the session/ }).click()
    await page.getByRole("button", { name: "End it" }).click()
    await page.getByText("They are signed in nowhere.").waitFor()
    await page.getByRole("link", { name: "All members" }).click()
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

  test("is renamed, and gets a team key that is shown once and revoked after its name was typed", async () => {
    const page = await openPage("/dashboard/team/settings")
    await page.getByLabel("Name of the team").waitFor()
    await typeByKeyboard(page, "Name of the team", "The shop")
    await page.keyboard.press("Enter")
    await page.getByText("owner of The shop").waitFor()
    await page.getByRole("button", { name: "Create a team key" }).click()
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Deployment")
    await page.getByRole("button", { name: "Create", exact: true }).click()
    await page.getByText("Store the team key now").waitFor()
    await page.getByRole("button", { name: "I have stored it" }).click()
    await expectAccessible(page)
    await takePicture(page, "team-settings")
    await page.getByRole("button", { name: "Revoke Deployment" }).click()
    await page.getByLabel("Type Deployment to confirm").fill("Deployment")
    await page.getByRole("button", { name: "Revoke", exact: true }).click()
    await page.getByText(/^Revoked/).waitFor()
    const admin = await openPage("/dashboard/team/settings", "admin")
    await admin.getByRole("table", { name: "Team keys" }).waitFor()
    expect(await admin.getByRole("button", { name: /team key|Revoke/ }).count()).toBe(0)
  })

  test("verifies the chain of its audit log in the browser, and filters it by the address", async () => {
    const page = await openPage("/dashboard/team/audit-log?action=app.*", "auditor")
    await page.getByRole("cell", { name: "app.create" }).first().waitFor()
    expect(await page.getByRole("cell", { name: "member.create" }).count()).toBe(0)
    await pressByKeyboard(page, "Verify the chain")
    await page.getByText(/^All \d+ records are as they were written$/).waitFor()
    await typeByKeyboard(page, "Action", "nothing.*")
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
