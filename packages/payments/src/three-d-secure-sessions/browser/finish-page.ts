import type { App } from "@sealway/platform"
import { decodeMessage } from "../../three-d-secure/messages/encode-message.ts"
import { hostedPage } from "../../three-d-secure/pages/hosted-page.ts"
import { pageData } from "./page-data.ts"

/**
 * Tells the page around it that it is finished. A browser delivers a message only to a page of the origin that it is
 * addressed to, so no other page learns of it.
 */
const SCRIPT = `
const { origins, cres } = JSON.parse(document.getElementById("data").textContent)
if (parent !== self) for (const origin of origins) parent.postMessage({ event: "ev-3ds-trampoline", cres }, origin)
`

/**
 * The page that a browser comes to from an issuer's page. It brings the issuer's response to the page around it.
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
