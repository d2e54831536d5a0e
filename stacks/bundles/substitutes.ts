import { basename } from "node:path"
import { serviceRoutes, writeOpenApiDocument } from "@sealway/api"
import type { Plugin } from "esbuild"
import { PROJECT_ROOT } from "./project-root.ts"

/**
 * A Lambda function's credentials are in its environment. The SDK's default looks there first too, but includes nine
 * other ways, with clients for STS and for single sign-on.
 */
export const environmentCredentials: Plugin = {
  name: "environment-credentials",
  setup(build) {
    build.onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, ({ path }) => ({
      path,
      namespace: "environment-credentials",
      sideEffects: false,
    }))
    build.onLoad({ filter: /./, namespace: "environment-credentials" }, () => ({
      contents: `export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env"`,
      resolveDir: PROJECT_ROOT,
    }))
  },
}

/** Files of packages/api that iterate over all endpoints, and their results: plain data, as of now. */
const WRITTEN: ReadonlyMap<string, () => string> = new Map([
  ["openapi-document.ts", () => constant("writeOpenApiDocument", writeOpenApiDocument())],
  ["service-routes.ts", () => constant("serviceRoutes", serviceRoutes())],
])

/** Replaces code by its result, since the code would bring every endpoint along. */
export const writtenData: Plugin = {
  name: "written-data",
  setup(build) {
    build.onLoad({ filter: /[\\/]packages[\\/]api[\\/]src[\\/][^\\/]+\.ts$/ }, ({ path }) => {
      const contents = WRITTEN.get(basename(path))?.()
      return contents === undefined ? null : { contents }
    })
  },
}

/** Returns a module with a function that returns a value. */
function constant(name: string, value: unknown): string {
  return `export const ${name} = () => (${JSON.stringify(value)})`
}
