import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { build } from "esbuild"
import { expect, vi } from "vitest"
import type { TestService } from "./service.ts"
import { ROOT } from "./start.ts"

/** A page of a merchant, on an origin of its own. */
export interface FieldPages extends AsyncDisposable {
  readonly origin: string
  /** Serves a page, and returns its address. */
  page(html: string, headers?: Readonly<Record<string, string>>): string
  /** Answers requests of pages below `/api/`, with JSON or a `redirect`. */
  onRequest: (request: IncomingMessage, body: string) => Promise<object> | object
}

/** The React bindings with React, as an application bundles them: `sdk.CardFields`, `sdk.React`, `sdk.createRoot`. */
async function bundleReact(): Promise<string> {
  const contents = `export * from "@sealway/sdk/react"
    export * as React from "react"
    export { createRoot } from "react-dom/client"`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "sdk",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"development"' },
  })
  return outputFiles[0]?.text ?? ""
}

let bundled: Promise<string> | null = null
/** The SDK, as a page without a bundler loads it: `sdk.SealwayPage`. */
function bundleSdk(): Promise<string> {
  bundled ??= build({
    stdin: { contents: 'export * from "@sealway/sdk/fields"', resolveDir: ROOT },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "sdk",
    platform: "neutral",
    mainFields: [],
    conditions: [],
    target: "es2022",
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? "")
  return bundled
}

/** Starts a server whose pages may load `/sdk.js`, the SDK, with the React bindings if they are wanted. */
export async function startFieldPages(withReact = false): Promise<FieldPages> {
  const sdk = await (withReact ? bundleReact() : bundleSdk())
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ""
    const page = pages.get(path)
    if (path === "/sdk.js") response.setHeader("content-type", "text/javascript").end(sdk)
    else if (page !== undefined) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...page.headers }).end(page.html)
    } else if (path.startsWith("/api/")) {
      let body = ""
      for await (const chunk of request.setEncoding("utf8")) body += chunk
      const answer = await started.onRequest(request, body)
      if ("redirect" in answer) response.writeHead(303, { location: String(answer.redirect) }).end()
      else response.setHeader("content-type", "application/json").end(JSON.stringify(answer))
    } else response.writeHead(404).end()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const started: FieldPages = {
    origin: `http://127.0.0.1:${port}`,
    onRequest: () => ({}),
    page(html, headers = {}) {
      const path = `/${pages.size}`
      pages.set(path, { html: `<!doctype html><html lang="en"><title>Shop</title>${html}</html>`, headers })
      return started.origin + path
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return started
}

/** Allows pages of these origins, and no others, to embed the frames of the sandbox app. Resolves when it takes effect. */
export async function allowOrigins(
  service: TestService,
  [first, ...others]: readonly [string, ...string[]],
): Promise<void> {
  const { app } = service.sandbox
  await service.patch(`/apps/${app.id}`, { allowedOrigins: [first, ...others] }, { auth: service.team.auth })
  await vi.waitFor(
    async () => {
      const { headers } = await service.get(`/elements/${service.team.id}/${app.id}/fields`, { auth: null })
      expect(headers.get("content-security-policy")).toContain(first)
    },
    { timeout: 15_000, interval: 25 },
  )
}
