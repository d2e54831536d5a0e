// The two ways in which the shop talks to Sealway: its API, and a relay.
import { once } from "node:events"
import { request } from "node:http"
import { json } from "node:stream/consumers"

/** Sealway has refused something. `code` says what, such as `payments/network-tokens/declined-tokenization`. */
export class SealwayError extends Error {
  constructor({ code, status, detail }) {
    super(detail)
    this.code = code
    this.status = status
  }
}

/** Calls the API with a key. @throws SealwayError */
export function createApi(url, key) {
  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { "api-key": key, "content-type": "application/json" },
      signal: AbortSignal.timeout(15_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = response.status === 204 ? null : await response.json()
    if (!response.ok) throw new SealwayError(answer)
    return answer
  }
  return {
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body),
    delete: (path) => call("DELETE", path),
  }
}

/**
 * Posts JSON through a relay to the destination that it stands for. On one machine all relays have one address, and the Host
 * header tells them apart; in a deployment each has its own name.
 *
 * @param {{url: string, domain: string, appId: string, key: string}} relay
 */
export async function postThrough({ url, domain, appId, key }, path, body) {
  const sent = request(new URL(path, url), {
    method: "POST",
    headers: {
      host: domain,
      "content-type": "application/json",
      "x-service-app-id": appId,
      "x-service-api-key": key,
    },
    timeout: 15_000,
  })
  sent.on("timeout", () => sent.destroy(new Error("The relay does not answer")))
  sent.end(JSON.stringify(body))
  const [response] = await once(sent, "response")
  const answer = await json(response)
  if (response.statusCode !== 200) throw new Error(`The relay answers ${response.statusCode}`)
  return answer
}
