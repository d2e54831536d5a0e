import { strToU8, zipSync } from "fflate"
import { expect, test } from "vitest"
import { deployFunction } from "../../support/functions.ts"
import {
  appPath,
  describePage,
  expectAccessible,
  openPage,
  pressByKeyboard,
  service,
  takePicture,
  typeByKeyboard,
} from "./harness.ts"

const SOURCE = `exports.handler = async ({ name, isBroken }) => {
  console.log("greeting " + (isBroken ? "nobody" : "somebody"))
  if (isBroken) throw new Error("No name is given")
  return { greeting: "Hello " + name }
}`

describePage("the functions of an app", () => {
  test("are listed, and run with a payload by an API key that stays in the page", async () => {
    const page = await openPage(appPath("functions"))
    await page.getByText("This app has no function").waitFor()
    await expectAccessible(page)
    await pressByKeyboard(page, "Deploy a function")
    await page.getByRole("dialog").waitFor()
    const buffer = Buffer.from(zipSync({ "index.cjs": strToU8(SOURCE) }))
    const file = { name: "greet.zip", mimeType: "application/zip", buffer }
    await page.locator('input[type="file"]').setInputFiles(file)
    await typeByKeyboard(page, "Name", "greet")
    await typeByKeyboard(page, "Handler", "main.cjs")
    await pressByKeyboard(page, "Deploy")
    await page.getByRole("alert").getByText("/handler").waitFor()
    await expectAccessible(page)
    await typeByKeyboard(page, "Handler", "index.cjs")
    await pressByKeyboard(page, "Deploy")
    await page.getByRole("heading", { level: 1, name: "greet" }).waitFor()
    await page.getByRole("table", { name: "Function" }).getByText("ready").waitFor()
    await page.getByRole("button", { name: "Deploy again" }).click()
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByRole("button", { name: "Deploy", exact: true }).click()
    await page.getByRole("cell", { name: "2 ready" }).waitFor()
    const sealed = await service.post("/encrypt", { name: "Ada" })
    const payload = page.getByRole("textbox", { name: "Payload" })
    await payload.fill("[]")
    await page.getByText("This is not a JSON object.").waitFor()
    await payload.fill(sealed.text)
    await page.getByRole("textbox", { name: "API key" }).fill("swk_wrong")
    const run = page.getByRole("button", { name: "Run", exact: true })
    await run.click()
    await page.getByRole("alert").waitFor()
    await page.getByRole("textbox", { name: "API key" }).fill(service.sandbox.auth.key)
    await run.click()
    await page.getByText('"greeting": "Hello Ada"').waitFor()
    await page.getByText(/greeting somebody/).waitFor()
    await expectAccessible(page)
    await takePicture(page, "function")
    await typeByKeyboard(page, "Payload", '{"isBroken":true}')
    await pressByKeyboard(page, "Run")
    await page.getByText("No name is given").first().waitFor()
    await page.getByLabel("Queue it, and do not wait for the result").check()
    await run.click()
    await page.getByText("The run is queued.", { exact: false }).waitFor()
    await page.getByRole("table", { name: "Asynchronous runs" }).getByText("failure").waitFor()
    await expectAccessible(page)
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(
      service.sandbox.auth.key,
    )
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByLabel("Type greet to confirm").fill("greet")
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("This app has no function").waitFor()
  })

  test("can be read and not deleted by an auditor", async () => {
    await deployFunction(service, "quiet", "index.cjs", "exports.handler = async () => null")
    const page = await openPage(appPath("functions/quiet"), "auditor")
    await page.getByRole("table", { name: "Function" }).getByText("ready").waitFor()
    await page.getByText("The active deployment has printed nothing.").waitFor()
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0)
    await service.delete("/functions/quiet")
  })
})
