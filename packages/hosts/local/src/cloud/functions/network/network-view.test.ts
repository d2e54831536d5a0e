import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { resolvConf } from "./network-view.ts"

test("a function's resolver keeps the machine's search list and options, and asks the function's own name server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealway-resolver-"))
  const path = join(folder, "resolv.conf")
  await writeFile(
    path,
    "# local\nnameserver 10.0.0.2\nsearch corp.example example\noptions ndots:5\nnameserver ::1\n",
  )
  expect(resolvConf(path)).toBe("search corp.example example\noptions ndots:5\nnameserver 192.0.2.1\n")
  expect(resolvConf(join(folder, "none"))).toBe("nameserver 192.0.2.1\n")
  await rm(folder, { recursive: true })
})
