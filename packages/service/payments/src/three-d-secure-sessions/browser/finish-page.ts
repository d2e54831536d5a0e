import type { App } from "@sealway/accounts"
import { pageData } from "@sealway/kernel"
import { decodeMessage, hostedPage } from "@sealway/three-d-secure"

/**
 * Tells the embedding page that it is finished. A browser only delivers a message to a page of the addressed origin, so
 * no other page receives it.
 */
const SCRIPT = `
const { origins, cres } = JSON.parse(document.getElementById("data").textContent)
if (parent !== self) for (const origin of origins) parent.postMessage({ event: "ev-3ds-trampoline", cres }, origin)
`

/**
 * Renders the page that a browser reaches from an issuer's page. It passes the issuer's response to the embedding page.
 *
 * @param cres null when there is none
 */
export function finishPage(app: App, serviceOrigin: string, cres: string | null) {
  const isMessage = cres !== null && decodeMessage(cres) !== null
  const data = { origins: [serviceOrigin, ...app.allowedOrigins], cres: isMessage ? cres : null }
  return hostedPage({
    title: "3-D Secure",
    body: `<p>You can return to the shop.</p>${pageData(data)}`,
    script: SCRIPT,
    formAction: "'none'",
    framedBy: app.allowedOrigins,
  })
}
