import { expect, test } from "vitest"
import * as z from "zod"
import { appPath, describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) })

const OFFICE = {
  name: "The office",
  effect: "permit",
  roles: ["desk"],
  conditions: {
    ipRanges: ["127.0.0.0/8", "10.0.0.0/8"],
    time: { daily: { from: "00:00", to: "23:59", timezone: "UTC" } },
  },
}

describePage("data roles and policies", () => {
  test("are created, tried while they are typed, simulated on recorded decisions, and saved", async () => {
    const { page, press, write, removeTags, upload, keys } = await openPage(appPath("policies"))
    await page.getByRole("heading", { name: "No data role yet" }).waitFor()
    await press("Create a role")
    await write("Slug", "Not a slug")
    await press("Create")
    await page
      .getByText(/a-z, 0-9/)
      .nth(1)
      .waitFor()
    await write("Slug", "pci")
    await write("Name", "Card numbers")
    await press("Create")
    await page.getByRole("heading", { level: 1, name: "Role pci" }).waitFor()
    await page.getByText("Nobody may decrypt its values").waitFor()
    await page.getByText("No policy permits it.").waitFor()
    await page.getByText("Nobody.", { exact: true }).waitFor()

    await press("Create a policy")
    await page.getByRole("heading", { level: 1, name: "Create a policy" }).waitFor()
    await page.getByText("It permits anyone with a key, from anywhere").waitFor()
    await page.getByText("Permitted for anyone with a key, from anywhere").waitFor()
    await expectAccessible(page)
    await write("Name", "The office")
    await write("Client addresses", "10.0.0.1/8")
    await keys("Enter")
    await page.getByText("Not a range in CIDR notation.").waitFor()
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true)
    expect(await page.getByText(/^Permitted|^permits/).count()).toBe(0)
    await removeTags("Client addresses", 1)
    await write("Client addresses", "10.0.0.0/8")
    await keys("Enter")
    await page.getByText("Refused", { exact: true }).waitFor()
    expect(await page.getByText(/anyone with a key, from anywhere/).count()).toBe(0)
    await page.getByText("because of ipRanges").waitFor()
    await write("From the address", "10.1.2.3")
    await page.getByText("Permitted", { exact: true }).waitFor()
    await page.getByText("permits, and decides").waitFor()
    await page.getByLabel("policy in Cedar", { exact: true }).getByText('ip("10.0.0.0/8")').waitFor()
    const testOf = (text: string) => ({
      name: "pci.policy-test.yaml",
      mimeType: "text/yaml",
      buffer: Buffer.from(text),
    })
    const tests = `role: pci
tests:
  - { name: the office may, context: { ip: 10.1.2.3 }, expect: permit, decidedBy: [The office] }
  - { name: others may not, context: { ip: 192.0.2.1 }, expect: permit }`
    await upload("Test files", testOf("tests: []"))
    await press("Run the tests")
    await page.getByText("role must be the slug of a data role.").waitFor()
    await upload("Test files", testOf(tests))
    await press("Run the tests")
    await page.getByText("1 passed, 1 failed").waitFor()
    await page.getByText("The decision is deny.").waitFor()
    await expectAccessible(page)
    await press("Save")
    await page.getByRole("dialog").waitFor()
    await press("Save")
    await page.getByRole("heading", { level: 1, name: "The office" }).waitFor()
    await page.getByRole("cell", { name: "data-policy.create" }).waitFor()
  })

  test("say what a change would newly refuse, before it is saved", async () => {
    const { app } = service.sandbox
    const policy = await ensureOffice()
    const sealed = await service.post("/encrypt", ["4242424242424242"], {
      headers: { "x-service-data-role": "desk" },
    })
    expect((await service.post("/decrypt", sealed.json)).status).toBe(200)
    const { page, press, toggle } = await openPage(`/dashboard/apps/${app.id}/policies/${policy}`)
    const meaning = page.getByRole("region", { name: "What changes for all possible requests" })
    await meaning.getByText("No request is decided otherwise.").waitFor()
    await toggle("Relays")
    await page.getByText("because of sources").waitFor()
    // What was said of the policy as it was is not shown beside the changed one.
    await meaning.getByText("Working it out for all possible requests").waitFor()
    expect(await meaning.getByText("No request is decided otherwise.").count()).toBe(0)
    await meaning.getByText("Newly refused").waitFor()
    await meaning.getByText(/, from 10\.0\.0\.0\/8 and 127\.0\.0\.0\/8/).waitFor()
    expect(await meaning.getByText("Newly permitted").count()).toBe(0)
    // Decisions are recorded every 10 seconds.
    const refused = page.getByText(/1 would newly be refused/)
    for (let count = 0; count < 15 && !(await refused.isVisible()); count++) {
      await press("Simulate")
      await page.waitForTimeout(1_000)
    }
    await refused.waitFor()
    await page.getByText("newly refused", { exact: true }).waitFor()
    await toggle("Functions")
    await page.getByText("The policies or the time have changed since: simulate again.").waitFor()
    expect(await refused.count()).toBe(0)
    await toggle("Functions")
    await refused.waitFor()
    await expectAccessible(page)
    await takePicture(page, "policy")
  })

  test("are written in Cedar, with its error where the text is", async () => {
    await ensureOffice()
    const { page, press, write, pick } = await openPage(appPath("policies/new?role=desk"))
    await write("Name", "Weekdays only")
    await pick("Cedar")
    await write("Cedar", "permit(principal, action, resource) when { context.nothing };")
    await page.getByText("Correct what is marked first.").waitFor()
    await expectAccessible(page)
    await write("Cedar", "permit(principal, action, resource) when { true };")
    await page.getByText("permits, and decides").first().waitFor()
    await page.getByText(/^Weekdays only: it names no source, address/).waitFor()
    await press("What a policy can ask about")
    await page
      .getByText(/entity|namespace|type /)
      .first()
      .waitFor()
  })

  test("tell who may decrypt in words, and are deleted after their name was typed", async () => {
    await ensureOffice()
    const { page, press, write } = await openPage(appPath("policies"))
    await page
      .getByText(/^Permits from 127\.0\.0\.0\/8 or 10\.0\.0\.0\/8, from 00:00 to 23:59 \(UTC\)\.$/)
      .waitFor()
    await expectAccessible(page)
    await takePicture(page, "policies")
    await press("desk")
    await press("The office")
    await press("Delete the policy")
    await write("Type The office to confirm", "The office")
    await press("Delete")
    await page.getByText("Nobody: it has no policy.").first().waitFor()
  })

  test("can be read and tried, and not changed, by an auditor", async () => {
    await ensureOffice()
    const { page } = await openPage(appPath("policies/roles/desk"), "auditor")
    await page.getByText("No policy permits it.").waitFor()
    const permitted = page.getByRole("table", { name: "Permitted requests" })
    await permitted.getByRole("cell", { name: /10\.0\.0\.0\/8/ }).waitFor()
    await permitted.getByRole("cell", { name: "00:00-23:59 (UTC)" }).waitFor()
    await permitted.getByRole("cell", { name: "any key" }).waitFor()
    await expectAccessible(page)
    expect(await page.getByRole("link", { name: "Create a policy" }).count()).toBe(0)
    expect(await page.getByRole("button", { name: /Delete|Archive/ }).count()).toBe(0)
  })
})

/** Returns the id of a policy of the role `desk`, and creates both where they are missing. */
async function ensureOffice(): Promise<string> {
  await service.post("/data-roles", { slug: "desk", name: "Desk" })
  const { json } = await service.get("/data-policies?role=desk")
  const [known] = listSchema.parse(json).data
  const policy = known ?? (await service.post("/data-policies", OFFICE)).json
  return z.object({ id: z.string() }).parse(policy).id
}
