import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { EndpointRoute, LambdaHandler } from "@sealway/http"
import type { Route } from "../gateway/index.ts"

/** `npm run update-reference` writes it; its licence is beside it. */
const SCALAR = join(import.meta.dirname, "scalar.js.gz")

/** Scalar's styles are in its script, which adds them to the page; everything else comes from files of this service. */
const SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sealway API</title>
</head>
<body>
<noscript>This page needs JavaScript. The same reference is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="reference"></div>
<script src="/docs/scalar.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`

/** Languages that have samples; of each, Scalar knows more libraries than these. */
const SAMPLES: Readonly<Record<string, string>> = { shell: "curl", node: "fetch", python: "requests" }
/** Every library that Scalar writes samples for, by language. */
const ALL_SAMPLES: Readonly<Record<string, readonly string[]>> = {
  c: ["libcurl"],
  clojure: ["clj_http"],
  csharp: ["httpclient", "restsharp"],
  dart: ["http"],
  fsharp: ["httpclient"],
  go: ["native"],
  http: ["http1.1"],
  java: ["asynchttp", "nethttp", "okhttp", "unirest"],
  js: ["axios", "fetch", "jquery", "ofetch", "xhr"],
  julia: ["http"],
  kotlin: ["okhttp"],
  node: ["axios", "fetch", "ofetch", "undici"],
  objc: ["nsurlsession"],
  ocaml: ["cohttp"],
  php: ["curl", "guzzle", "laravel"],
  powershell: ["restmethod", "webrequest"],
  python: ["aiohttp", "httpx_async", "httpx_sync", "python3", "requests"],
  r: ["httr", "httr2"],
  ruby: ["native"],
  rust: ["reqwest"],
  shell: ["curl", "httpie", "wget"],
  swift: ["nsurlsession"],
}

/** Nothing that asks another origin, and no credentials kept in the browser. */
const CONFIGURATION = {
  url: "/openapi.json",
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  documentDownloadType: "json",
  authentication: { preferredSecurityScheme: "ApiKey" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: Object.fromEntries(
    Object.entries(ALL_SAMPLES).map(([language, libraries]) => [
      language,
      libraries.filter((library) => library !== SAMPLES[language]),
    ]),
  ),
}

const STARTS_PAGE = `Scalar.createApiReference("#reference", ${JSON.stringify(CONFIGURATION)})\n`

/**
 * Returns the routes of `GET /docs`, the reference of the API in a browser, with samples and with requests to this
 * service. All of it is in this repository. Only the service on one machine has it: an API in the cloud should serve no
 * page into which people paste keys, and its reference is the same.
 */
export function referenceRoutes(): readonly (Route & EndpointRoute)[] {
  return [
    ...file("/docs", "text/html; charset=utf-8", async () => ({ body: PAGE })),
    ...file("/docs/reference.js", "text/javascript; charset=utf-8", async () => ({ body: STARTS_PAGE })),
    ...file("/docs/scalar.js", "text/javascript; charset=utf-8", async () => ({
      body: (await readFile(SCALAR)).toString("base64"),
      isBase64Encoded: true,
      headers: { "content-encoding": "gzip", "cache-control": "public, max-age=3600" },
    })),
  ]
}

interface FileContent {
  readonly body: string
  readonly isBase64Encoded?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

function file(
  path: string,
  contentType: string,
  read: () => Promise<FileContent>,
): (Route & EndpointRoute)[] {
  const handler: LambdaHandler = async () => {
    const content = await read()
    const headers = { ...HEADERS, "content-type": contentType, ...content.headers }
    return { statusCode: 200, ...content, headers }
  }
  return (["GET", "HEAD"] as const).map((method) => ({
    method,
    path,
    functionName: "reference-page",
    handler,
  }))
}
