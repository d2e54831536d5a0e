import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { writeOpenApiDocument } from "../packages/api/src/openapi-document.ts"
import { generateApi } from "./sdk/generate-api.ts"

const SDK = join(import.meta.dirname, "../packages/sdk")

for (const [path, text] of generateApi(JSON.parse(writeOpenApiDocument()))) {
  mkdirSync(dirname(join(SDK, path)), { recursive: true })
  writeFileSync(join(SDK, path), text)
  console.log(`packages/sdk/${path}: ${text.length} characters`)
}
