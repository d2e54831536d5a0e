import { dirname } from "node:path"
import { isRelease } from "@sealway/local/release"
import { setVersion } from "./release/versions.ts"

const [version = "", ...more] = process.argv.slice(2)
if (version === "--help") {
  console.log(
    "Usage: npm run set-version -- VERSION\n\nGives all packages, and the lockfile, a version such as 0.3.0.\n\n  --help  prints this",
  )
} else if (!isRelease(version) || more.length > 0) {
  console.error("Pass one version, such as 0.3.0. --help tells more.")
  process.exitCode = 2
} else {
  setVersion(dirname(import.meta.dirname), version)
}
