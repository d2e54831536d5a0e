import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { writeOpenApiDocument } from "@sealway/api"
import { generateApi } from "./sdk/generate-api.ts"
import { generatePython } from "./sdk/generate-python.ts"

const ROOT = join(import.meta.dirname, "..")
const document: unknown = JSON.parse(writeOpenApiDocument())

for (const [folder, files] of [
  ["packages/clients/sdk", generateApi(document)],
  ["clients/python", generatePython(document)],
] as const) {
  for (const [path, text] of files) {
    const file = join(ROOT, folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    console.log(`${folder}/${path}: ${text.length} characters`)
  }
}
