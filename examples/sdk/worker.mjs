// A worker (Cloudflare Workers, workerd): it encrypts the card of an order at the edge, before the order goes on.
import { Sealway } from "@sealway/sdk"

let sealway = null

export default {
  /**
   * @param {Request} request
   * @param {{ SEALWAY_APP: string, SEALWAY_API_KEY: string, SEALWAY_URL: string }} env
   */
  async fetch(request, env) {
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } })
    // One for all requests: it keeps the app's public key.
    sealway ??= new Sealway({ appId: env.SEALWAY_APP, apiKey: env.SEALWAY_API_KEY, baseUrl: env.SEALWAY_URL })
    const order = await request.json()
    return Response.json({ ...order, card: await sealway.encrypt(String(order.card)) })
  },
}
