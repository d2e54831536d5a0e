/** A key of WebCrypto. */
export type WebKey = InstanceType<typeof CryptoKey>

/** Returns WebCrypto, which browsers give only to pages of https and of the machine itself. */
export function subtle(): typeof crypto.subtle {
  const { subtle } = globalThis.crypto ?? {}
  if (subtle === undefined)
    throw new TypeError("WebCrypto is missing here. In a browser, the page must use https.")
  return subtle
}
