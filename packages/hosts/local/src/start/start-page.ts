import type { EndpointRoute, LambdaHandler } from "@sealway/http"
import { escapeHtml, sourceHash } from "@sealway/kernel"
import manifest from "../../package.json" with { type: "json" }
import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import type { Route } from "../gateway/index.ts"
import { describeFunctions } from "./announcement.ts"
import { prefersHtml } from "./prefers-html.ts"

const STYLE =
  "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}" +
  "pre{padding:1rem;overflow-x:auto;border:1px solid;border-radius:.3rem}:root{color-scheme:light dark}"

/** The page loads, runs, frames and sends nothing; its only style is allowed by its hash. */
const SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${sourceHash(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const HEADERS = { "cache-control": "no-store", vary: "accept" }

/** Files of the project for a newcomer to read next. */
const DOCUMENTS = [
  ["docs/concepts.md", "what tokens, apps, roles and policies are"],
  ["docs/encrypt-and-decrypt.md", "the API's first calls"],
  ["docs/running-locally.md", "the options of npm start, ports and the data folder"],
  ["docs/cli.md", "everything from the command line"],
] as const

/**
 * Returns the routes of `GET /`, for users who open the address of the service in a browser. Any page may read the
 * answer, like `/health`, so it reveals nothing of this machine or an app.
 */
export function startPageRoutes(functions: EmbeddedCloud["functions"]): readonly (Route & EndpointRoute)[] {
  const facts = { name: "Sealway", status: "ok", version: manifest.version }
  const json = JSON.stringify({ ...facts, docs: "/docs", openapi: "/openapi.json", health: "/health" })
  const html = pageOf(manifest.version, describeFunctions(functions))
  const handler: LambdaHandler = async ({ headers }) =>
    prefersHtml(headers.accept)
      ? {
          statusCode: 200,
          headers: {
            ...HEADERS,
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": SECURITY_POLICY,
            "referrer-policy": "no-referrer",
          },
          body: html,
        }
      : { statusCode: 200, headers: { ...HEADERS, "content-type": "application/json" }, body: json }
  return (["GET", "HEAD"] as const).map((method) => ({
    method,
    path: "/",
    functionName: "start-page",
    handler,
  }))
}

function pageOf(version: string, functions: string): string {
  const documents = DOCUMENTS.map(([file, about]) => `<li><code>${file}</code>: ${escapeHtml(about)}</li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sealway</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Sealway is running</h1>
<p>Version ${escapeHtml(version)}. Functions: ${escapeHtml(functions)}.</p>
<h2>Call it</h2>
<p>Run this in a shell, in the folder where you started Sealway. If you started it with <code>--data</code>, the file <code>env</code> is in that data folder.</p>
<pre>${escapeHtml(COMMANDS)}</pre>
<h2>Read on</h2>
<ul>
<li><a href="/docs">API reference</a>, with samples and requests to try; for programs <a href="/openapi.json">OpenAPI 3.1</a>, and the <a href="/health">health of the service</a></li>
${documents.join("\n")}
</ul>
</body>
</html>
`
}

const COMMANDS = `. .sealway/env

SEALED=$(curl -u "$SEALWAY_APP:$SEALWAY_API_KEY" "$SEALWAY_URL/encrypt" \\
  -H 'Content-Type: application/json' -d '{"name": "Ada Lovelace", "card": "4242424242424242"}')
echo "$SEALED"

curl -u "$SEALWAY_APP:$SEALWAY_API_KEY" "$SEALWAY_URL/decrypt" \\
  -H 'Content-Type: application/json' -d "$SEALED"
`
