import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { holdDataFolder } from "./data-folder.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

test("creates the folder for its owner only", async () => {
  const path = join(await temporaryFolder(), "new", "data")

  const held = await holdDataFolder(path)
  onTestFinished(held.release)

  expect((await stat(path)).mode & 0o777).toBe(0o700)
})

test("refuses with data-folder-in-use while this process holds the folder, and not after it is released", async () => {
  const path = await temporaryFolder()
  const first = await holdDataFolder(path)

  await expect(holdDataFolder(path)).rejects.toMatchObject({ code: "data-folder-in-use" })
  first.release()
  first.release()

  const second = await holdDataFolder(path)
  second.release()
})

test("refuses with data-folder-in-use while another process holds the folder, and not after it is killed", async () => {
  const path = await temporaryFolder()
  const holder = await holdInAnotherProcess(path)

  await expect(holdDataFolder(path)).rejects.toMatchObject({ code: "data-folder-in-use" })
  holder.kill("SIGKILL")
  await once(holder, "exit")

  const held = await holdDataFolder(path)
  held.release()
})

test("keeps other processes out with data-folder-in-use after it has refused this process the same folder", async () => {
  const path = await temporaryFolder()
  const held = await holdDataFolder(path)
  onTestFinished(held.release)

  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(holdDataFolder(path)).rejects.toMatchObject({ code: "data-folder-in-use" })
  }

  expect(await outcomeInAnotherProcess(path)).toBe("data-folder-in-use")
})

test("refuses with data-folder-unusable when the path is a file", async () => {
  const path = join(await temporaryFolder(), "file")
  await writeFile(path, "")

  await expect(holdDataFolder(path)).rejects.toMatchObject({ code: "data-folder-unusable" })
})

/** Returns the code with which another process is refused the folder, or "held". */
async function outcomeInAnotherProcess(path: string): Promise<string> {
  const script = `
    import { holdDataFolder } from ${JSON.stringify(new URL("./data-folder.ts", import.meta.url).href)}
    process.stdout.write(await holdDataFolder(${JSON.stringify(path)}).then(() => "held", ({ code }) => code))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script])
  return stdout
}

/** Resolves once the other process holds the folder. */
async function holdInAnotherProcess(path: string): Promise<ChildProcess> {
  const script = `
    import { holdDataFolder } from ${JSON.stringify(new URL("./data-folder.ts", import.meta.url).href)}
    await holdDataFolder(${JSON.stringify(path)})
    process.stdout.write("held")
    setInterval(() => {}, 1000)
  `
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void holder.kill("SIGKILL"))
  await Promise.race([
    once(holder.stdout, "data"),
    once(holder, "exit").then(() => Promise.reject(new Error("The other process ended."))),
  ])
  return holder
}
