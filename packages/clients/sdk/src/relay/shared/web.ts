/** @throws TypeError always: only Node.js, Deno and Bun can name the host of a request */
export async function fetchFromHost(_host: string, _address: string, _init: RequestInit): Promise<Response> {
  throw new TypeError(
    "relayUrl works only in Node.js, Deno and Bun. Elsewhere, relays need domains of their own.",
  )
}
