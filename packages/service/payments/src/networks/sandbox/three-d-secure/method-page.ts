import type { App } from "@sealway/accounts"
import { invalidField } from "@sealway/kernel"
import { type hostedPage, postingPage, readMethodRequest, writeMethodData } from "@sealway/three-d-secure"

/**
 * Renders the page on which a test issuer would take a browser's fingerprint: it takes none, and returns immediately.
 *
 * @param threeDSMethodData as in the form
 * @throws InvalidRequestError when it is not from Sealway's own pages, so that nobody is redirected elsewhere
 */
export function methodPage(
  app: App,
  threeDSMethodData: string,
  serviceOrigin: string,
): ReturnType<typeof hostedPage> {
  const request = readMethodRequest(threeDSMethodData)
  const url = request === null ? null : URL.parse(request.threeDSMethodNotificationURL)
  if (request === null || url === null || url.origin !== serviceOrigin) {
    throw invalidField(
      "/threeDSMethodData",
      "The data does not belong to a fingerprint that this service requested.",
    )
  }
  const { threeDSServerTransID } = request
  return postingPage({
    title: "Test issuer",
    url: url.href,
    fields: { threeDSMethodData: writeMethodData({ threeDSServerTransID }) },
    framedBy: app.allowedOrigins,
  })
}
