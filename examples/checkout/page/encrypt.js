// Seals values in the browser with the app's public key, so that only Sealway can open them. WebCrypto and nothing else.
//
// A token is ev:debug:QkTC:<iv>:<ephemeral key>:<ciphertext>:$ (without "debug" for a production app): AES-256-GCM under a
// key that a fresh P-256 key pair and the app's public key agree on. What is sealed begins with the value's data role.

/** What stands before a P-256 point in DER with explicit curve parameters; the key derivation takes it in. */
const POINT_PREFIX = fromHex(
  "3082014b3082010306072a8648ce3d02013081f7020101302c06072a8648ce3d0101022100ffffffff000000010000000000" +
    "00000000000000ffffffffffffffffffffffff305b0420ffffffff00000001000000000000000000000000ffffffffffffff" +
    "fffffffffc04205ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b031500c49d360886e70493" +
    "6a6678e1139d26b7819f7e900441046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342" +
    "e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5022100ffffffff00000000ffffffffffffffffbce6" +
    "faada7179e84f3b9cac2fc632551020101034200",
)
const CURVE = { name: "ECDH", namedCurve: "P-256" }
/** The small number by which tokens say what made them. It decides nothing. */
const ORIGIN = 84

/**
 * @param {{publicKey: string, role: string, isSandbox: boolean}} app its P-256 key (uncompressed, base64), and the data role
 *   that values get
 * @returns {(text: string) => Promise<string>} seals a text as a token
 */
export function createSealer({ publicKey, role, isSandbox }) {
  const appPoint = fromBase64(publicKey)
  const appKey = crypto.subtle.importKey("raw", appPoint, CURVE, false, [])
  return async (text) => {
    const pair = await crypto.subtle.generateKey(CURVE, false, ["deriveBits"])
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey))
    const key = await deriveKey(pair.privateKey, await appKey, point)
    const iv = crypto.getRandomValues(new Uint8Array(12))
    const configuration = Uint8Array.of((isSandbox ? 0x80 : 0) | 1)
    const additionalData = concat(configuration, compress(point), compress(appPoint))
    const sealed = concat(metadata(role), new TextEncoder().encode(text))
    const ciphertext = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, sealed)
    const parts = [iv, compress(point), new Uint8Array(ciphertext)].map(toBase64)
    return ["ev", ...(isSandbox ? ["debug"] : []), "QkTC", ...parts, "$"].join(":")
  }
}

/** SHA-256 of the shared secret, a counter, and the ephemeral key in DER. */
async function deriveKey(privateKey, appKey, point) {
  const secret = await crypto.subtle.deriveBits({ name: "ECDH", public: appKey }, privateKey, 256)
  const input = concat(new Uint8Array(secret), Uint8Array.of(0, 0, 0, 1), POINT_PREFIX, point)
  return crypto.subtle.importKey("raw", await crypto.subtle.digest("SHA-256", input), "AES-GCM", false, [
    "encrypt",
  ])
}

/** A MessagePack map of the role, what made the token, and when; its length comes before it. */
function metadata(role) {
  const time = new DataView(new ArrayBuffer(4))
  time.setUint32(0, Math.floor(Date.now() / 1000))
  const map = concat(
    Uint8Array.of(0x83, ...ascii("\xa2dr"), 0xa0 | role.length, ...ascii(role)),
    Uint8Array.of(...ascii("\xa2eo"), ORIGIN),
    Uint8Array.of(...ascii("\xa2et\xce"), ...new Uint8Array(time.buffer)),
  )
  return concat(Uint8Array.of(map.length, 0), map)
}

/** The 33 bytes that stand for a point of 65: x, and whether y is odd. */
function compress(point) {
  return concat(Uint8Array.of(2 | (point[64] & 1)), point.subarray(1, 33))
}

function concat(...parts) {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const ascii = (text) => Array.from(text, (character) => character.charCodeAt(0))
const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/=+$/, "")
function fromBase64(text) {
  return Uint8Array.from(ascii(atob(text)))
}
function fromHex(text) {
  return Uint8Array.from(text.match(/../g), (digits) => Number.parseInt(digits, 16))
}
