import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

/**
 * Scalar is one file of its package, whose 270 dependencies that file does not need: installing all of them would take
 * every user of `npm start` 100 MB.
 */
const VERSION = "1.72.1"
const INTEGRITY =
  "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=="
const FILE = "package/dist/browser/standalone.js"
const TARGET = join(import.meta.dirname, "../packages/hosts/local/src/reference/scalar.js.gz")

const folder = mkdtempSync(join(tmpdir(), "sealway-reference-"))
try {
  execFileSync(
    "npm",
    ["pack", "--silent", "--pack-destination", folder, `@scalar/api-reference@${VERSION}`],
    { stdio: "inherit" },
  )
  const archive = join(folder, `scalar-api-reference-${VERSION}.tgz`)
  const hash = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`
  if (hash !== INTEGRITY) throw new Error(`The package has the hash ${hash}`)
  execFileSync("tar", ["-xzf", archive, "-C", folder, FILE])
  const script = readFileSync(join(folder, FILE))
  writeFileSync(TARGET, gzipSync(script, { level: 9 }))
  console.log(`Scalar ${VERSION}: sha256-${createHash("sha256").update(script).digest("base64")}`)
} finally {
  rmSync(folder, { recursive: true })
}
