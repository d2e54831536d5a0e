import { chmod, mkdir, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { closeDataFolder } from "./close-data-folder.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

const modeOf = async (...path: string[]) => ((await stat(join(...path))).mode & 0o777).toString(8)

describe.skipIf(process.platform === "win32")("closing a data folder to other users", () => {
  test("removes the permissions of group and others from everything in it, and keeps the owner's", async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, "dynamodb", "lost"), { recursive: true })
    await mkdir(join(folder, "s3", "code"), { recursive: true })
    await mkdir(join(folder, "lambda", "hello", "code"), { recursive: true })
    const files = [
      "lock",
      "env.tmp",
      "dynamodb/tables.db",
      "dynamodb/lost/x",
      "s3/code/0a",
      "lambda/hello/code/run",
    ]
    for (const file of files) {
      await writeFile(join(folder, file), "")
      await chmod(join(folder, file), file.endsWith("run") ? 0o755 : 0o644)
    }
    for (const each of [".", "dynamodb", "dynamodb/lost", "lambda"]) await chmod(join(folder, each), 0o777)

    await closeDataFolder(folder)

    const modes = [".", "dynamodb", "dynamodb/lost", "lambda", "lambda/hello/code", ...files]
    expect(await Promise.all(modes.map((each) => modeOf(folder, each)))).toEqual([
      ...["700", "700", "700", "700", "700"],
      ...["600", "600", "600", "600", "600", "700"],
    ])
  })

  test("does not touch files that are not Sealway's, the parent folder, or the targets of links", async () => {
    const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
    await writeFile(join(folder, "notes.txt"), "")
    await writeFile(join(elsewhere, "target"), "")
    await mkdir(join(folder, "kms"))
    await symlink(join(elsewhere, "target"), join(folder, "kms", "link"))
    await symlink(elsewhere, join(folder, "lambda"))
    const left = [folder, join(folder, "notes.txt"), elsewhere, join(elsewhere, "target")]
    for (const each of left) await chmod(each, 0o755)

    await closeDataFolder(folder)

    expect(await Promise.all(left.map((each) => modeOf(each)))).toEqual(["755", "755", "755", "755"])
    expect(await modeOf(folder, "kms")).toBe("700")
  })

  test("does not touch a master key that others could read, so that the start refuses it", async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, "kms"))
    await writeFile(join(folder, "kms", "master-key"), "")
    await chmod(join(folder, "kms", "master-key"), 0o644)

    await closeDataFolder(folder)

    expect(await modeOf(folder, "kms", "master-key")).toBe("644")
  })
})
