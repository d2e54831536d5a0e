// Seals values as `ev:` tokens (Tk9D, and QkTC with a data role), to an app's public key. Runs in the customer's
// Lambda, so it only uses node:crypto. packages/core/tokens opens its tokens.
import {
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
} from "node:crypto"

const TYPE_NUMBERS = { string: 0, number: 1, boolean: 2 }
const ROLE_SLUG = /^[a-z0-9-]{1,20}$/
const TOKEN =
  /^ev:(?:debug:)?(?:Tk9D|QkTC|RFVC|S0lS):(?:(?:string|number|boolean):)?[A-Za-z0-9+/]{16}:[A-Za-z0-9+/]{44}:[A-Za-z0-9+/]{22,}:\$$/
const MAX_DEPTH = 100

/** The `eo` of the metadata: the origin that Sealway writes. */
const ORIGIN = 83

/** The DER before the 65-byte point: a SubjectPublicKeyInfo that names P-256. */
const NAMED_CURVE_PREFIX = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex")

/**
 * What X9.63 hashes between the secret and the point: counter 1, and the SubjectPublicKeyInfo that spells out P-256.
 */
const KDF_INFIX = Buffer.from(
  "00000001" +
    "3082014b3082010306072a8648ce3d02013081f7020101" +
    "302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000ffffffffffffffffffffffff" +
    "305b0420ffffffff00000001000000000000000000000000fffffffffffffffffffffffc" +
    "04205ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b" +
    "031500c49d360886e704936a6678e1139d26b7819f7e90" +
    "0441046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5" +
    "022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551" +
    "020101" +
    "034200",
  "hex",
)

/**
 * Creates `encrypt(value, role?)` for one run: its values share one ephemeral key, each with a fresh random IV.
 *
 * Strings, finite numbers, BigInts and booleans become tokens. Objects and arrays keep their shape; null and tokens do
 * not change, as in POST /encrypt.
 *
 * @param publicKey `{ecdhP256KeyUncompressed, debug}`
 * @param epochSeconds returns the current time
 */
export function createEncrypt({ ecdhP256KeyUncompressed, debug }, epochSeconds) {
  let key
  return (value, role) => {
    if (role !== undefined && role !== null && !(typeof role === "string" && ROLE_SLUG.test(role))) {
      throw new TypeError("The role is not a data role's slug: 1 to 20 characters from a-z, 0-9 and -")
    }
    key ??= createKey(Buffer.from(ecdhP256KeyUncompressed, "base64"))
    const metadata = role ? encodeMetadata(role, epochSeconds()) : null
    return encryptTree(value, 0, (type, text) => seal(key, debug === true, type, text, metadata))
  }
}

function encryptTree(value, depth, sealOne) {
  if (depth > MAX_DEPTH) throw new TypeError("The value is nested deeper than 100 levels")
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throw new TypeError("A string with a lone surrogate cannot be encrypted")
      return TOKEN.test(value) ? value : sealOne("string", value)
    case "number":
      if (!Number.isFinite(value)) throw new TypeError("NaN and infinite numbers cannot be encrypted")
      return sealOne("number", Object.is(value, -0) ? "-0.0" : String(value))
    case "bigint":
      return sealOne("number", String(value))
    case "boolean":
      return sealOne("boolean", String(value))
    case "object": {
      if (value === null) return null
      if (Array.isArray(value)) return value.map((item) => encryptTree(item, depth + 1, sealOne))
      const prototype = Object.getPrototypeOf(value)
      if (prototype === Object.prototype || prototype === null) {
        // fromEntries defines fields, so a field called __proto__ stays one.
        return Object.fromEntries(
          Object.entries(value).map(([name, member]) => [name, encryptTree(member, depth + 1, sealOne)]),
        )
      }
    }
  }
  throw new TypeError(
    "Only strings, numbers, booleans, and plain objects and arrays of them can be encrypted",
  )
}

function createKey(appPoint) {
  const spki = Buffer.concat([NAMED_CURVE_PREFIX, appPoint])
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const point = publicKey.export({ type: "spki", format: "der" }).subarray(-65)
  const secret = diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: spki, type: "spki", format: "der" }),
  })
  const content = createHash("sha256").update(secret).update(KDF_INFIX).update(point).digest()
  secret.fill(0)
  return { content, ephemeral: compress(point), app: compress(appPoint) }
}

function compress(point) {
  return Buffer.concat([Buffer.of(2 | (point[64] & 1)), point.subarray(1, 33)])
}

function seal({ content, ephemeral, app }, debug, type, text, metadata) {
  const configuration = (debug ? 0x80 : 0) | (TYPE_NUMBERS[type] << 4) | 1
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", content, iv, { authTagLength: 16 })
  cipher.setAAD(metadata ? Buffer.concat([Buffer.of(configuration), ephemeral, app]) : app)
  const plaintext = metadata ? Buffer.concat([metadata, Buffer.from(text)]) : Buffer.from(text)
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  const segments = ["ev", ...(debug ? ["debug"] : []), metadata ? "QkTC" : "Tk9D"]
  if (type !== "string") segments.push(type)
  return [...segments, unpadded(iv), unpadded(ephemeral), unpadded(sealed), "$"].join(":")
}

/** Encodes its length (uint16, little-endian), then a MessagePack map of `dr`, `eo` and `et` (uint32). */
function encodeMetadata(role, epochSeconds) {
  const time = Buffer.alloc(4)
  time.writeUInt32BE(epochSeconds)
  const map = Buffer.concat([
    Buffer.from(`\x83\xa2dr${String.fromCharCode(0xa0 | role.length)}${role}`, "latin1"),
    Buffer.from(`\xa2eo${String.fromCharCode(ORIGIN)}\xa2et\xce`, "latin1"),
    time,
  ])
  return Buffer.concat([Buffer.of(map.length, 0), map])
}

function unpadded(bytes) {
  return bytes.toString("base64").replace(/=+$/, "")
}
