import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { serviceRoutes, writeOpenApiDocument } from "@sealway/api"
import type { Plugin } from "esbuild"

/**
 * A Lambda function's credentials are in its environment, and stay the same. The SDK's default looks there first too, but
 * includes nine other ways, with clients for STS and for single sign-on.
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
      contents: ENVIRONMENT_CREDENTIALS,
    }))
  },
}

const ENVIRONMENT_CREDENTIALS = `
export const defaultProvider = () => async () => {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env
  if (!accessKeyId || !secretAccessKey) {
    throw Object.assign(new Error("The environment holds no credentials"), { name: "CredentialsProviderError" })
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}
`

/**
 * A Lambda function is configured by its environment. The SDK's clients would also look for `~/.aws/config`, with a
 * module of Node.js that nothing else needs.
 */
export const noConfigurationFiles: Plugin = {
  name: "no-configuration-files",
  setup(build) {
    const files = /[\\/]shared-ini-file-loader[\\/]readFile\.js$/
    build.onLoad({ filter: files }, () => ({ contents: NO_FILES }))
  },
}

const NO_FILES = `
export const filePromises = {}
export const fileIntercept = {}
export const readFile = () => Promise.reject(new Error("A Lambda function has no configuration files"))
`

/**
 * Modules of Node.js that many functions never use, or only after the first answer, are loaded when something of them is
 * first used: `node:zlib` compresses figures, `node:v8` copies records of requests that may be repeated.
 */
export const builtinsOnUse: Plugin = {
  name: "builtins-on-use",
  setup(build) {
    const namespace = "builtins-on-use"
    build.onResolve({ filter: /^node:(zlib|v8)$/ }, ({ path, namespace: from }) =>
      from === namespace ? { path, external: true } : { path, namespace, sideEffects: false },
    )
    build.onLoad({ filter: /./, namespace }, async ({ path }) => ({
      contents: onUse(path, await import(path)),
    }))
  },
}

/** Its other exports, hundreds of them, are constants that `constants` has too. */
const FUNCTION_NAME = /^[a-z]/

function onUse(path: string, exports: object): string {
  const getters = Object.keys(exports)
    .filter((name) => FUNCTION_NAME.test(name) && name !== "default")
    .map((name) => `get ${name}() { return require(${JSON.stringify(path)}).${name} },`)
  return `module.exports = { ${getters.join("\n")} }`
}

/** Zod's code that writes schemas as JSON Schema: the OpenAPI document is written when bundles are built. */
export const withoutJsonSchema: Plugin = {
  name: "without-json-schema",
  setup(build) {
    const files = /[\\/]node_modules[\\/]zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors)\.js$/
    build.onLoad({ filter: files }, async ({ path }) => ({ contents: hollow(await readFile(path, "utf8")) }))
  },
}

/** Returns a module with the same exports as a source, all of them functions that do nothing. */
function hollow(source: string): string {
  const names = [...source.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name)
  return names.map((name) => `export const ${name} = () => undefined`).join("\n")
}

/** Files of packages/hosts/api that iterate over all endpoints, and their results: plain data, as of now. */
const WRITTEN: ReadonlyMap<string, () => string> = new Map([
  ["openapi-document.ts", () => constant("writeOpenApiDocument", writeOpenApiDocument())],
  ["service-routes.ts", () => constant("serviceRoutes", serviceRoutes())],
])

/** Replaces code by its result, since the code would bring every endpoint along. */
export const writtenData: Plugin = {
  name: "written-data",
  setup(build) {
    build.onLoad({ filter: /[\\/]api[\\/]src[\\/][^\\/]+\.ts$/ }, ({ path }) => {
      const contents = WRITTEN.get(basename(path))?.()
      return contents === undefined ? null : { contents }
    })
  },
}

/** Returns a module with a function that returns a value. */
function constant(name: string, value: unknown): string {
  return `export const ${name} = () => (${JSON.stringify(value)})`
}
