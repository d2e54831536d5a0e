import { expect, test } from "vitest"
import { appPath, describePage, expectAccessible, members, openPage, service, signIn } from "./harness.ts"

describePage("the dashboard", () => {
  test("opens after a sign-in link was used, at the sandbox app", async () => {
    const { page, press } = await openPage("/dashboard", null)
    await page.getByRole("link", { name: "Sign in" }).waitFor()
    await expectAccessible(page)
    await page.goto(await service.service.createSignInLink())
    await press("Sign in")
    await page.waitForURL(`${service.url}${appPath()}`)
    await page.getByRole("heading", { level: 1, name: service.sandbox.app.name }).waitFor()
    await page.getByText("owner of").waitFor()
  })

  test("is reached by keyboard alone, and moves the focus to the page that was chosen", async () => {
    const { page, tabTo, keys } = await openPage(appPath())
    await page.getByRole("heading", { level: 1 }).waitFor()
    await keys("Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content")
    await tabTo("Home")
    await expectAccessible(page)
  })

  test("shows another app's page when another app is chosen", async () => {
    const { page, choose } = await openPage(appPath())
    await choose("App", `${service.production.app.name} (production)`)
    await page.waitForURL(`${service.url}/dashboard/apps/${service.production.app.id}`)
    await page.getByRole("heading", { level: 1, name: service.production.app.name }).waitFor()
  })

  test("asks to sign in again when the session is over, and goes on where it was", async () => {
    const { page, press } = await openPage(appPath())
    await page.getByRole("heading", { level: 1 }).waitFor()
    await press("Sign out")
    await page.getByRole("link", { name: "Sign in" }).waitFor()
    expect(page.url()).toBe(service.url + appPath())
    await signIn(page.context(), await members().signIn("auditor"))
    await page.evaluate(`dispatchEvent(new Event("visibilitychange"))`)
    await page.getByText("auditor of").waitFor()
  })

  test("keeps nothing in the browser but the choice of light or dark", async () => {
    const { page, press } = await openPage(appPath())
    await press("Dark")
    await page.getByRole("button", { name: "Light" }).waitFor()
    const kept = await page.evaluate(`({
      local: Object.keys(localStorage),
      session: Object.keys(sessionStorage).filter((key) => !key.startsWith("tsr-scroll-restoration")),
      cookies: document.cookie,
    })`)
    expect(kept).toEqual({ local: ["mantine-color-scheme-value"], session: [], cookies: "" })
  })

  test("says that there is no page, or no app, at an address", async () => {
    const { page } = await openPage("/dashboard/nowhere")
    await page.getByRole("heading", { name: "There is no such page" }).waitFor()
    await page.goto(`${service.url}/dashboard/apps/app_0123456789ab`)
    await page.getByRole("heading", { name: "There is no such app" }).waitFor()
    await expectAccessible(page)
  })
})
