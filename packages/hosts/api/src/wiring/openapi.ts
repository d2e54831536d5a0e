import type { OpenApiDependencies } from "../endpoints/get-openapi.ts"
import { writeOpenApiDocument } from "../openapi-document.ts"

export function createDependencies(): OpenApiDependencies {
  let written: string | null = null
  return {
    writeDocument() {
      written ??= writeOpenApiDocument()
      return written
    },
  }
}
