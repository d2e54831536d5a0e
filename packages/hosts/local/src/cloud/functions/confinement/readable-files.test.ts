import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { readableFiles } from "./readable-files.ts"

const root = realpathSync(mkdtempSync(join(tmpdir(), "sealway-readable-")))
afterAll(() => rmSync(root, { recursive: true }))
mkdirSync(join(root, "real", "inner"), { recursive: true })
writeFileSync(join(root, "real", "file"), "")
symlinkSync(join(root, "real"), join(root, "link"))

const below = (paths: readonly string[]) => {
  const { files, links } = readableFiles(paths)
  return {
    files: files.filter((path) => path.startsWith(root)),
    links: links.filter(({ path }) => path.startsWith(root)),
  }
}

test("lists a link and its target", () => {
  expect(below([join(root, "link")])).toEqual({
    files: [join(root, "real")],
    links: [{ path: join(root, "link"), target: join(root, "real") }],
  })
})

test("lists a path through a link by its own name too", () => {
  const path = join(root, "link", "file")
  expect(below([path])).toEqual({
    files: [join(root, "real", "file")],
    links: [{ path, target: join(root, "real", "file") }],
  })
})

test("leaves out what is in a listed folder, by either name", () => {
  const paths = [
    join(root, "link", "inner"),
    join(root, "real", "file"),
    join(root, "link"),
    join(root, "real"),
  ]
  expect(below(paths)).toEqual({
    files: [join(root, "real")],
    links: [{ path: join(root, "link"), target: join(root, "real") }],
  })
})

test("leaves out what does not exist, and never lists the root", () => {
  expect(below([join(root, "absent")])).toEqual({ files: [], links: [] })
  expect(readableFiles(["/"]).files).not.toContain("/")
})

test("lists no folder that contains keys", () => {
  const { files } = readableFiles([])
  for (const path of ["/etc", "/etc/ssl", "/etc/ssl/private", "/etc/pki/tls/private"]) {
    expect(files).not.toContain(path)
  }
})
