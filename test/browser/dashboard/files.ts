import { expect, test } from "vitest"
import { createFileTransfer } from "../../support/file-transfer.ts"
import { appPath, describePage, expectAccessible, openPage, service, takePicture } from "./harness.ts"

const files = createFileTransfer(service)

describePage("the files of an app", () => {
  test("are listed with what is known about them, and deleted after their name was typed", async () => {
    const { page, press, write } = await openPage(appPath("files"))
    await page.getByText("This app has no file").waitFor()
    await expectAccessible(page)
    await service.newRole(service.sandbox.app, "scans")
    const { id } = await files.upload(Buffer.alloc(1536), { name: "scan.tiff", role: "scans" })
    await page.reload()
    await page.getByRole("row", { name: "scan.tiff" }).getByText("1.5 KiB").waitFor()
    await expectAccessible(page)
    await press("scan.tiff")
    await page.getByRole("heading", { level: 1, name: "scan.tiff" }).waitFor()
    await page.getByText(`npx sealway files download ${id}`).waitFor()
    await expectAccessible(page)
    await takePicture(page, "file")
    await press("Delete")
    await write("Type scan.tiff to confirm", "scan.tiff")
    await expectAccessible(page)
    await press("Delete")
    await page.getByText("This app has no file").waitFor()
    expect(await service.get(`/files/${id}`)).toMatchObject({ status: 404 })
  })

  test("that are still uploaded show how to go on, and show their download when they are complete", async () => {
    const content = Buffer.from("secret")
    const file = await files.create({ size: content.length })
    const { id } = file
    const { page } = await openPage(appPath(`files/${id}`), "auditor")
    await page.getByText(`npx sealway files upload FILE --resume ${id}`).waitFor()
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0)
    await files.send(file, await files.seal(file, content))
    expect(await files.complete(id)).toMatchObject({ status: 200 })
    await page.getByText(`npx sealway files download ${id}`).waitFor()
  })
})
