import { readFile } from "node:fs/promises"
import { ENDPOINTS, serviceEndpoints } from "@sealway/api"
import { grantsOf, writesAccessRecords } from "@sealway/http"
import { beforeAll, describe, expect, test } from "vitest"
import { bundleFunctions } from "../../../stacks/bundles/bundle-functions.ts"
import { FUNCTION_FILE, type FunctionBundle } from "../../../stacks/bundles/function-bundle.ts"
import { UNDICI_FILE, UNDICI_INDEX } from "../../../stacks/bundles/undici.ts"
import { foundationsOf } from "../foundations.ts"
import { temporaryFolder } from "../synthesize-stage.ts"
import { readZip, type ZipEntry } from "../unpack-zip.ts"
import { synthesizedAlone } from "./made-once.ts"

/** The functions that serve no endpoint. */
const OTHERS = [
  "access-writer",
  "audit-exporter",
  "audit-writer",
  "enrolment-sweeper",
  "enrolment-worker",
  "erasure-sweeper",
  "function-run-worker",
  "function-sweeper",
  "hsm-key-sweeper",
  "not-found",
  "relay",
  "slow-webhook-worker",
  "stats-folder",
  "webhook-sweeper",
  "webhook-worker",
]
const CEDAR = [
  "nodejs/cedar_wasm.js",
  "nodejs/cedar_wasm_bg.wasm",
  "nodejs/package.json",
  "package.json",
].map((file) => `node_modules/@cedar-policy/cedar-wasm/${file}`)
/**
 * Unpacked, without Cedar, with the SDK's clients of DynamoDB, KMS and SQS. What depends on packages/service/functions may call three
 * more services of AWS. The worker of webhooks sends requests to the internet, and contains an HTTP client for it.
 */
const MAX_CODE_BYTES = 840_000
/** With the document itself, which grows with each endpoint. */
const MAX_DOCUMENT_CODE_BYTES = 1_200_000
/** With clients that the first call loads. */
const MAX_FUNCTIONS_CODE_BYTES = 1_100_000
const MAX_WORKER_CODE_BYTES = 1_100_000
/** Of what serves no endpoint: with every client, because what it may call is not known where it is bundled. */
const MAX_SIMPLE_WORKER_CODE_BYTES = 950_000
/** S3. */
const MAX_FILES_CODE_BYTES = 950_000
/** CloudFront, and the selectors that are checked before they are stored. */
const MAX_RELAYS_CODE_BYTES = 1_250_000
/** The engine, an HTTP client, and code that opens client certificates. */
const MAX_RELAY_CODE_BYTES = 1_450_000
/** An HTTP client for connectors, the list of top-level domains, and code that opens client certificates. */
const MAX_PAYMENTS_CODE_BYTES = 1_250_000
/** Parsers of attestations and their certificates. */
const MAX_ENCLAVE_CODE_BYTES = 950_000
const MAX_CODE_BYTES_OF: ReadonlyMap<string, number> = new Map([
  ...[...ENDPOINTS.functions.map(({ id }) => id), "function-run-worker"].map(
    (name) => [name, MAX_FUNCTIONS_CODE_BYTES] as const,
  ),
  ...ENDPOINTS.files.map(({ id }) => [id, MAX_FILES_CODE_BYTES] as const),
  ...ENDPOINTS.relay.map(({ id }) => [id, MAX_RELAYS_CODE_BYTES] as const),
  ...[...ENDPOINTS.payments.map(({ id }) => id), "enrolment-worker"].map(
    (name) => [name, MAX_PAYMENTS_CODE_BYTES] as const,
  ),
  ["get-openapi", MAX_DOCUMENT_CODE_BYTES],
  ["decrypt-for-enclave", MAX_ENCLAVE_CODE_BYTES],
  // An HTTP client, and the checks of an identity provider's answers.
  ...ENDPOINTS.oidc.map(({ id }) => [id, MAX_WORKER_CODE_BYTES] as const),
  ["webhook-worker", MAX_WORKER_CODE_BYTES],
  ["slow-webhook-worker", MAX_WORKER_CODE_BYTES],
  ["relay", MAX_RELAY_CODE_BYTES],
])

/** One of each kind. All would take half a minute, and are made in the same way. */
const MADE_AGAIN = ["create-data-policy", "decrypt", "get-openapi", "relay", "webhook-worker"]

let bundles: readonly FunctionBundle[]
/** What is in each zip. Without the contents, which are 300 MB. */
const entriesOf = new Map<string, readonly (Omit<ZipEntry, "content"> & { readonly bytes: number })[]>()
beforeAll(async () => {
  bundles = (await synthesizedAlone()).bundles
  for (const { functionName, zipPath } of bundles) {
    const entries = readZip(await readFile(zipPath))
    entriesOf.set(
      functionName,
      entries.map(({ content, ...entry }) => ({ ...entry, bytes: content.length })),
    )
  }
}, 120_000)

describe("the bundles", () => {
  test("are one for each endpoint, and one for each of the other functions", () => {
    const names = [...serviceEndpoints.map(({ id }) => id), ...OTHERS].sort()
    expect(bundles.map(({ functionName }) => functionName)).toEqual(names)
  })

  test("are the same bytes when they are made by another process, in another environment", async () => {
    const madeHere = await bundleFunctions(temporaryFolder(), { names: MADE_AGAIN })
    expect(madeHere.map(({ functionName }) => functionName)).toEqual(MADE_AGAIN)
    for (const { functionName, zipPath } of madeHere) {
      const alone = bundles.find((each) => each.functionName === functionName)
      const again = await readFile(alone?.zipPath ?? "")
      expect({ [functionName]: again.equals(await readFile(zipPath)) }).toEqual({ [functionName]: true })
    }
  })

  test("hold code, beside it the HTTP client where requests are sent and Cedar where policies are met, and nothing else", () => {
    for (const { functionName, bytes, sources } of bundles) {
      const entries = entriesOf.get(functionName) ?? []
      const meetsPolicies = sources.includes("packages/service/policies/src/cedar/cedar.ts")
      const sendsRequests = sources.includes(UNDICI_INDEX)
      const paths = [FUNCTION_FILE, ...(meetsPolicies ? CEDAR : []), ...(sendsRequests ? [UNDICI_FILE] : [])]
      expect({ [functionName]: entries.map(({ path }) => path) }).toEqual({ [functionName]: paths })
      expect(entries.reduce((sum, entry) => sum + entry.bytes, 0)).toBe(bytes)
      expect(new Set(entries.map(({ mode }) => mode))).toEqual(new Set([0o644]))
      expect(new Set(entries.map(({ modified }) => modified.join()))).toEqual(new Set(["33,0"]))
    }
    expect(functionsWith(UNDICI_INDEX)).toEqual(
      expect.arrayContaining(["create-bin-lookup", "relay", "webhook-worker"]),
    )
    for (const name of ["decrypt", "encrypt", "get-team"])
      expect(functionsWith(UNDICI_INDEX)).not.toContain(name)
    const withCedar = bundles.filter(({ sources }) =>
      sources.includes("packages/service/policies/src/cedar/cedar.ts"),
    )
    expect(withCedar.map(({ functionName }) => functionName)).toEqual(
      expect.arrayContaining(["decrypt", "create-data-policy", "simulate-data-policies"]),
    )
  })

  test("write access records when they decrypt, and then their log is carried on", () => {
    const recording = bundles.filter(({ sources }) =>
      sources.includes("packages/service/vault/src/audit/record-decryption.ts"),
    )
    const declared = serviceEndpoints.filter(writesAccessRecords).map(({ id }) => id)
    // The relay's endpoints seal samples of messages with the cipher of live traffic, and open none.
    const found = recording.map(({ functionName }) => functionName).filter((name) => name !== "test-relay")
    expect(found).toEqual([...declared, "function-run-worker", "relay"].sort())
  })

  test("stay small", () => {
    const ids = new Set(serviceEndpoints.map(({ id }) => id))
    const tooLarge = bundles.flatMap(({ functionName }) => {
      const code = entriesOf.get(functionName)?.find(({ path }) => path === FUNCTION_FILE)
      const byKind = ids.has(functionName) ? MAX_CODE_BYTES : MAX_SIMPLE_WORKER_CODE_BYTES
      const maxBytes = MAX_CODE_BYTES_OF.get(functionName) ?? byKind
      return code !== undefined && code.bytes < maxBytes
        ? []
        : [{ functionName, bytes: code?.bytes, maxBytes }]
    })
    expect(tooLarge).toEqual([])
  })

  test("contain the packages and libraries that the service depends on, and no test", async () => {
    const { packages, libraries } = await foundationsOf("api")
    expect([...packages]).toEqual(expect.arrayContaining(["api", "vault", "http", "tokens"]))
    expect(libraries).toContain("zod")
    for (const stranger of ["cli", "local", "dashboard"]) expect(packages).not.toContain(stranger)
    for (const stranger of ["aws-cdk-lib", "constructs", "dynalite", "vitest", "esbuild"]) {
      expect(libraries).not.toContain(stranger)
    }
    for (const { functionName, sources } of bundles) {
      const strangers = sources.filter((source) => {
        const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]
        if (library !== undefined) return !libraries.has(library)
        const name = /^packages\/(?:[^/]+\/)*?([^/]+)\/(?:src\/|package\.json$)/.exec(source)?.[1] ?? ""
        return !packages.has(name) || /\.test\.ts$|\/testing\//.test(source)
      })
      expect({ [functionName]: strangers }).toEqual({ [functionName]: [] })
    }
  })

  test("contain no library twice, in two versions", () => {
    for (const { functionName, sources } of bundles) {
      const folders = new Set(
        sources.flatMap((source) => /.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(source)?.[0] ?? []),
      )
      const names = [...folders].map((folder) => folder.slice(folder.lastIndexOf("node_modules/")))
      expect({ [functionName]: names.toSorted() }).toEqual({ [functionName]: [...new Set(names)].sort() })
    }
  })

  test("make no certificates, and read them only in those of enclaves", () => {
    expect([...functionsWith("@peculiar/x509"), ...functionsWith("reflect-metadata")]).toEqual([])
    expect(functionsWith("@peculiar/").toSorted()).toEqual(ENDPOINTS.enclave.map(({ id }) => id).toSorted())
  })

  test("hold the clients of the services that they may call, and no others", () => {
    const clients = {
      dynamodb: "dynamodb",
      kms: "kms",
      sqs: "sqs",
      lambda: "lambda",
      logs: "cloudwatch-logs",
      s3: "s3",
    }
    for (const [service, name] of Object.entries(clients)) {
      const permitted = serviceEndpoints.filter((endpoint) =>
        grantsOf(endpoint).some((grant) => grant.startsWith(`${service}:`)),
      )
      const ids = new Set<string>(serviceEndpoints.map(({ id }) => id))
      const holding = functionsWith(`@aws-sdk/client-${name}/`).filter((each) => ids.has(each))
      expect({ [name]: holding.toSorted() }).toEqual({ [name]: permitted.map(({ id }) => id).toSorted() })
    }
  })

  test("leave CloudFront's API out of the function that requests pass through", () => {
    const callers = functionsWith("@aws-sdk/client-cloudfront")
    expect(callers).not.toContain("relay")
    const permitted = serviceEndpoints.filter((endpoint) =>
      grantsOf(endpoint).some((grant) => grant.startsWith("cloudfront:")),
    )
    expect(callers).toEqual(expect.arrayContaining(permitted.map(({ id }) => id)))
    for (const caller of ["encrypt", "decrypt", "get-team", "list-relays"])
      expect(callers).not.toContain(caller)
  })

  function functionsWith(part: string): readonly string[] {
    const holding = bundles.filter(({ sources }) => sources.some((source) => source.includes(part)))
    return holding.map(({ functionName }) => functionName)
  }

  test("hold one endpoint each", async () => {
    const ids = new Set(serviceEndpoints.map(({ id }) => id))
    const fileOf = (source: string) => /\/endpoints\/([^/]+)\.ts$/.exec(source)?.[1] ?? ""
    const files = new Set(bundles.flatMap(({ sources }) => sources.map(fileOf)))
    for (const { functionName, sources } of bundles) {
      const endpoints = sources.map(fileOf).filter((file) => ids.has(file) || file === "index")
      // One file declares both, and those that only get, list or delete are declared together.
      const file = functionName === "inspect" ? "fingerprint" : functionName
      const own = ids.has(functionName) && files.has(file) ? [file] : []
      expect({ [functionName]: endpoints }).toEqual({ [functionName]: own })
    }
  })
})
