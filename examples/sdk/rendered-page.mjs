// A page that a server renders: it holds tokens, and the browser decrypts one document of them for the signed-in user.
import { createServer } from "node:http"

/**
 * @param {{
 *   sealway: import("@sealway/sdk").Sealway,
 *   browser: { teamId: string, appId: string, baseUrl: string },
 *   script: string,
 *   documentOf: (request: import("node:http").IncomingMessage) => object | null,
 * }} options `script` is rendered-page.client.mjs, bundled; `documentOf` returns the tokens that the user may see
 */
export function createPageServer({ sealway, browser, script, documentOf }) {
  const policy = [
    ...["default-src 'none'", "script-src 'self'", `connect-src ${new URL(browser.baseUrl).origin}`],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join("; ")
  const headers = { "content-security-policy": policy, "cache-control": "no-store" }
  const answer = async (request, response) => {
    if (request.url === "/client.js") {
      return response
        .writeHead(200, { ...headers, "content-type": "text/javascript; charset=utf-8" })
        .end(script)
    }
    const document = documentOf(request)
    if (document === null) return response.writeHead(403, headers).end()
    // For five minutes, and for this document only: people who read the page's source cannot decrypt anything else.
    const { token } = await sealway.clientTokens.create(document)
    response
      .writeHead(200, { ...headers, "content-type": "text/html; charset=utf-8" })
      .end(render({ browser, document, token }))
  }
  return createServer((request, response) => {
    answer(request, response).catch((error) => {
      // An error that nobody catches would end the process.
      console.error(error)
      response.writeHead(502, headers).end()
    })
  })
}

function render(data) {
  // A "<" in the data could end the element.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c")
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Your account</title>
<p>Your IBAN: <output id="iban">…</output></p>
<script type="application/json" id="data">${json}</script>
<script src="/client.js"></script>
</html>
`
}
