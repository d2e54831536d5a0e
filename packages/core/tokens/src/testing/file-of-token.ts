import { crc32 } from "node:zlib"
import { parseToken } from "../format/parse-token.ts"

/** Writes the parts of a `Tk9D` token as an encrypted file of version 3. Anybody can: they are sealed alike. */
export function fileOfToken(text: string): Buffer {
  const token = parseToken(text)
  if (token === null || !("ephemeralPublicKey" in token)) throw new Error("It is no token of a public key")
  const head = [Buffer.from("%EVENC"), Buffer.of(3, 55, 0), token.ephemeralPublicKey, token.iv, Buffer.of(0)]
  const body = Buffer.concat([...head, token.ciphertext])
  const trailer = Buffer.alloc(4)
  trailer.writeUInt32LE(crc32(body))
  return Buffer.concat([body, trailer])
}
