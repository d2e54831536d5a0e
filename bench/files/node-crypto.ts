/**
 * Encrypts a file into another with AES-256-GCM, as a stream on one thread: no chunks that open on their own, no network.
 *
 *     node node-crypto.ts INPUT OUTPUT
 */
import { createCipheriv, randomBytes } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"

const [input = "", output = ""] = process.argv.slice(2)
const cipher = createCipheriv("aes-256-gcm", randomBytes(32), randomBytes(12))
await pipeline(createReadStream(input), cipher, createWriteStream(output))
