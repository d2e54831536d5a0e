import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"
import { encodePlan, type Launch } from "./launch-plan.ts"

const LAUNCHER = join(import.meta.dirname, "launcher.pl")

const launch: Launch = {
  level: "seccomp",
  network: "open",
  interpreter: { executable: "/bin/echo", libraries: [] },
  arguments: ["started"],
  environment: { NAME: "value" },
  folder: "/",
  readable: [],
  maxDataBytes: 1024 ** 3,
}
const machine = {
  processor: process.arch === "arm64" ? "arm64" : "x64",
  isRoot: false,
  pid: process.pid,
  mountPoint: import.meta.dirname,
} as const

test.each<[string, Partial<Launch>]>([
  ["an argument", { arguments: ["a\0file\0/root"] }],
  ["the environment", { environment: { _HANDLER: "a\0file\0/root" } }],
  ["a path", { folder: "/\0file\0/root" }],
])("refuses %s that would be read as another step", (_, change) => {
  expect(() => encodePlan({ ...launch, ...change }, machine)).toThrow(TypeError)
})

test.runIf(process.platform === "linux" && spawnSync("perl", ["-v"]).status === 0)(
  "starts nothing when the plan was truncated",
  () => {
    const plan = encodePlan(launch, machine)
    const run = (input: Buffer) => spawnSync("perl", [LAUNCHER], { input, stdio: "pipe" }).stdout.toString()
    expect(run(plan)).toBe("started\n")
    for (let length = 0; length < plan.length; length += Math.ceil(plan.length / 50)) {
      expect(run(plan.subarray(0, length))).toBe("")
    }
  },
)
