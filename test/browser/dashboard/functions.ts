import { strToU8, zipSync } from "fflate"
import { expect, test } from "vitest"
import { deployFunction } from "../../support/functions.ts"
import { appPath, describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

const SOURCE = `exports.handler = async ({ name, isBroken }) => {
  console.log("greeting " + (isBroken ? "nobody" : "somebody"))
  if (isBroken) throw new Error("No name is given")
  return { greeting: "Hello " + name }
}`

describePage("the functions of an app", () => {
  test("are listed, and run with a payload by an API key that stays in the page", async () => {
    const { page, press, toggle, write, upload } = await openPage(appPath("functions"))
    await page.getByText("This app has no function").waitFor()
    await expectAccessible(page)
    await press("Deploy a function")
    await page.getByRole("dialog").waitFor()
    const buffer = Buffer.from(zipSync({ "index.cjs": strToU8(SOURCE) }))
    const file = { name: "greet.zip", mimeType: "application/zip", buffer }
    await upload("Zip", file)
    await write("Name", "greet")
    await write("Handler", "main.cjs")
    await press("Deploy")
    await page.getByRole("alert").getByText("/handler").waitFor()
    await expectAccessible(page)
    await write("Handler", "index.cjs")
    await press("Deploy")
    await page.getByRole("heading", { level: 1, name: "greet" }).waitFor()
    await page.getByRole("table", { name: "Function" }).getByText("ready").waitFor()
    await press("Deploy again")
    await upload("Zip", file)
    await press("Deploy")
    await page.getByRole("cell", { name: "2 ready" }).waitFor()
    const sealed = await service.post("/encrypt", { name: "Ada" })
    await write("Payload", "[]")
    await page.getByText("This is not a JSON object.").waitFor()
    await write("Payload", sealed.text)
    await write("API key", "swk_wrong")
    await press("Run")
    await page.getByRole("alert").waitFor()
    await write("API key", service.sandbox.auth.key)
    await press("Run")
    await page.getByText('"greeting": "Hello Ada"').waitFor()
    await page.getByText(/greeting somebody/).waitFor()
    await expectAccessible(page)
    await takePicture(page, "function")
    await write("Payload", '{"isBroken":true}')
    await press("Run")
    await page.getByText("No name is given").first().waitFor()
    await toggle("Queue it, and do not wait for the result")
    await press("Run")
    await page.getByText("The run is queued.", { exact: false }).waitFor()
    await page.getByRole("table", { name: "Asynchronous runs" }).getByText("failure").waitFor()
    await expectAccessible(page)
    await page.getByRole("button", { name: "Delete the run" }).press("Enter")
    await press("Delete it")
    await page.getByText("No asynchronous run in the last 7 days").waitFor()
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(
      service.sandbox.auth.key,
    )
    await press("Delete")
    await write("Type greet to confirm", "greet")
    await press("Delete")
    await page.getByText("This app has no function").waitFor()
  })

  test("can be read and not deleted by an auditor", async () => {
    await deployFunction(service, "quiet", "index.cjs", "exports.handler = async () => null")
    const { page } = await openPage(appPath("functions/quiet"), "auditor")
    await page.getByRole("table", { name: "Function" }).getByText("ready").waitFor()
    await page.getByText("The active deployment has printed nothing.").waitFor()
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0)
    await service.delete("/functions/quiet")
  })

  test("say in a production app why nobody who is signed in gets their logs", async () => {
    const { app, auth } = service.production
    const code = Buffer.from(zipSync({ "index.cjs": strToU8(SOURCE) })).toString("base64")
    const settings = { name: "live", language: "node@24", handler: "index.cjs", code }
    await service.post("/functions", settings, { auth })
    const { page } = await openPage(`/dashboard/apps/${app.id}/functions/live`)
    await page.getByText("Logs may contain decrypted values", { exact: false }).waitFor()
    await expectAccessible(page)
    await service.delete("/functions/live", { auth })
  })
})
