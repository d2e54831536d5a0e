import { join } from "node:path"
import { buildSdk } from "./sdk/build-sdk.ts"

const folder = join(import.meta.dirname, "../packages/clients/sdk/dist")
await buildSdk(folder)
console.log(`The package is in ${folder}. Look at it with: npm pack --dry-run ${folder}`)
