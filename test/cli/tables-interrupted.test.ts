import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, open, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { describe, expect, onTestFinished, test } from "vitest"
import { useService } from "../support/service.ts"
import { ROOT, withFolder } from "../support/start.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const execute = promisify(execFile)
const BIN = join(ROOT, "packages", "clients", "cli", "bin", "sealway.mjs")
const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)

/** Takes several seconds by the slow proxy. */
const ROWS = 3_000
const OPTIONS = ["--columns", "card", "-o", "out.csv", "--batch-rows", "10"]

function csvOf(rows: number): string {
  return `id,card\n${Array.from({ length: rows }, (_, index) => `${index + 1},marker${index}\n`).join("")}`
}

/** A way to the service on which each answer takes a while, until `hurry`, so that a run has a middle. */
async function startSlowWay() {
  let answerTakesMs = 100
  const way = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      await sleep(answerTakesMs)
      const { authorization = "" } = request.headers
      const answer = await fetch(service.url + request.url, {
        method: "POST",
        body: Buffer.concat(chunks),
        headers: { authorization, "content-type": "application/json" },
      })
      response
        .writeHead(answer.status, { "content-type": "application/json" })
        .end(Buffer.from(await answer.arrayBuffer()))
    })
  })
  way.listen(0, "127.0.0.1")
  await once(way, "listening")
  onTestFinished(() => {
    way.closeAllConnections()
    way.close()
  })
  const address = way.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    hurry() {
      answerTakesMs = 0
    },
  }
}

/** Starts the command as a process. */
function startCommand(folder: string, url: string, stdin: string | null = null) {
  const { app, auth } = service.sandbox
  const env = { SEALWAY_URL: url, SEALWAY_APP: app.id, SEALWAY_API_KEY: auth.key, HOME: folder }
  const args = stdin === null ? ["in.csv", ...OPTIONS] : OPTIONS
  const child = spawn(process.execPath, [BIN, "encrypt", ...args], {
    cwd: folder,
    env,
    stdio: ["pipe", "ignore", "pipe"],
  })
  child.stdin.on("error", () => undefined).end(stdin ?? "")
  onTestFinished(() => void child.kill("SIGKILL"))
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const ended = once(child, "exit")
  return { child, stderr: () => stderr, ended: async () => (await ended)[0] }
}

async function untilRowsDone(folder: string): Promise<number> {
  for (;;) {
    const journal = await readFile(join(folder, "out.csv.journal"), "utf8").catch(() => null)
    const rows = journal === null ? 0 : JSON.parse(journal).progress.rows
    if (rows > 0) return rows
    await sleep(20)
  }
}

/** Checks that each row is there once, in order, and nothing else is left. */
async function expectWhole(folder: string): Promise<void> {
  const opened = await sealway(["decrypt", "out.csv", "--columns", "card"], { folder })
  expect(opened.exitCode).toBe(0)
  expect(opened.stdout).toBe(csvOf(ROWS))
  expect((await readdir(folder)).filter((name) => name.startsWith("out"))).toEqual(["out.csv"])
}

describe("a run that ends half-way", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGKILL", null],
  ] as const)("by %s continues by the same command, and every row is there once", (signal, status) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), csvOf(ROWS))
      const { url, hurry } = await startSlowWay()
      const first = startCommand(folder, url)
      await untilRowsDone(folder)
      first.child.kill(signal)
      expect(await first.ended()).toBe(status)
      expect(first.stderr().includes("Stopped after")).toBe(signal === "SIGINT")
      const journal = await readFile(join(folder, "out.csv.journal"), "utf8")
      expect(journal).not.toContain("marker")
      const { rows } = JSON.parse(journal).progress
      expect(rows).toBeLessThan(ROWS)
      expect(await readdir(folder)).not.toContain("out.csv")

      hurry()
      const second = startCommand(folder, url)
      expect(await second.ended()).toBe(0)
      expect(second.stderr()).toContain(`Resuming after ${rows.toLocaleString("en")} row`)
      await expectWhole(folder)
    }),
  )

  test("continues with standard input, and refuses another one", () =>
    withFolder(async (folder) => {
      const { url, hurry } = await startSlowWay()
      const table = csvOf(ROWS)
      const first = startCommand(folder, url, table)
      await untilRowsDone(folder)
      first.child.kill("SIGKILL")
      await first.ended()
      const shorter = startCommand(folder, url, "id,card\n1,x\n")
      expect(await shorter.ended()).toBe(2)
      expect(shorter.stderr()).toContain("--restart")
      hurry()
      const second = startCommand(folder, url, table)
      expect(await second.ended()).toBe(0)
      expect(second.stderr()).toContain("Resuming after")
      await expectWhole(folder)
    }))

  test("is left alone by other commands, other options, a changed input and a second process", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), csvOf(ROWS))
      const { url } = await startSlowWay()
      const env = { SEALWAY_URL: url }
      const first = startCommand(folder, url)
      await untilRowsDone(folder)
      const meanwhile = await sealway(["encrypt", "in.csv", ...OPTIONS], { folder, env })
      expect(meanwhile).toMatchObject({ exitCode: 2 })
      expect(meanwhile.stderr).toContain(`Process ${first.child.pid}`)
      first.child.kill("SIGKILL")
      await first.ended()
      const before = await readFile(join(folder, "out.csv.journal"), "utf8")
      for (const args of [
        ["decrypt", "in.csv", ...OPTIONS],
        ["encrypt", "in.csv", ...OPTIONS, "--role", "pci"],
        ["encrypt", "in.csv", ...OPTIONS, "--columns", "id,card"],
      ]) {
        const refused = await sealway(args, { folder, env })
        expect(refused.exitCode).toBe(2)
        expect(refused.stderr).toContain("--restart")
      }
      await utimes(join(folder, "in.csv"), 1_000, 1_000)
      const changed = await sealway(["encrypt", "in.csv", ...OPTIONS], { folder, env })
      expect(changed.exitCode).toBe(2)
      expect(changed.stderr).toContain("--restart")
      const after = await readFile(join(folder, "out.csv.journal"), "utf8")
      expect(JSON.parse(after)).toEqual({ ...JSON.parse(before), pid: expect.any(Number) })
      expect((await sealway(["encrypt", "in.csv", ...OPTIONS, "--restart"], { folder })).exitCode).toBe(0)
      await expectWhole(folder)
    }))

  test("is not resumed by the key of another app, where no app is named", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), 'id,card\n1,a\n2,"never closed')
      const other = await service.newApp("sandbox")
      const run = (key: string) =>
        sealway(["encrypt", "in.csv", ...OPTIONS], { folder, env: { SEALWAY_APP: "", SEALWAY_API_KEY: key } })
      const { key } = service.sandbox.auth
      expect((await run(key)).stderr).toContain("Row 2 of in.csv cannot be read")
      const refused = await run(other.auth.key)
      expect(refused.exitCode).toBe(2)
      expect(refused.stderr).toContain("--restart")
      expect((await run(key)).stderr).toContain("Resuming after 1 row")
    }))

  test("is not resumed when its journal is damaged, or says more than its output has", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), csvOf(ROWS))
      const { url } = await startSlowWay()
      const first = startCommand(folder, url)
      await untilRowsDone(folder)
      first.child.kill("SIGKILL")
      await first.ended()
      const again = () => sealway(["encrypt", "in.csv", ...OPTIONS], { folder, env: { SEALWAY_URL: url } })
      await truncate(join(folder, "out.csv.part"), 100)
      expect((await again()).exitCode).toBe(2)
      await writeFile(join(folder, "out.csv.journal"), "{")
      expect((await again()).exitCode).toBe(2)
    }))
})

test("refuses to overwrite the file that a shell reads standard input from", () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, "out.csv"), csvOf(3))
    const { app, auth } = service.sandbox
    const input = await open(join(folder, "out.csv"))
    const child = spawn(process.execPath, [BIN, "encrypt", ...OPTIONS], {
      cwd: folder,
      stdio: [input.fd, "ignore", "ignore"],
      env: { SEALWAY_URL: service.url, SEALWAY_APP: app.id, SEALWAY_API_KEY: auth.key, HOME: folder },
    })
    expect((await once(child, "exit"))[0]).toBe(2)
    await input.close()
    expect(await readFile(join(folder, "out.csv"), "utf8")).toBe(csvOf(3))
    expect(await readdir(folder)).toEqual(["out.csv"])
  }))

test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "ends a run with status 2 on a full disk, and continues when there is room (root only: mounts a file system)",
  ({ skip }) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "in.csv"), csvOf(ROWS))
      const small = join(folder, "small")
      await mkdir(small)
      try {
        await execute("mount", ["-t", "tmpfs", "-o", "size=512k,mode=700", "none", small])
      } catch {
        skip("No file system can be mounted here.")
      }
      try {
        await writeFile(join(small, "ballast"), Buffer.alloc(256 * 1024))
        const args = ["encrypt", "in.csv", "--columns", "card", "-o", "small/out.csv", "--batch-rows", "10"]
        // A clock on which every batch takes a second: each has its checkpoint.
        let now = 0
        const ended = await sealway(args, { folder, wallClock: () => (now += 1_000) })
        expect(ended).toMatchObject({ exitCode: 2, stdout: "" })
        expect(ended.stderr).toContain("the disk is full")
        expect(ended.stderr).toContain("Stopped after")
        await rm(join(small, "ballast"))
        const again = await sealway(args, { folder })
        expect(again).toMatchObject({ exitCode: 0 })
        expect(again.stderr).toContain("Resuming after")
        await execute("cp", [join(small, "out.csv"), folder])
        await expectWhole(folder)
      } finally {
        await execute("umount", ["--lazy", small])
      }
    }),
)
