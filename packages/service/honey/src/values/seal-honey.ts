import type { App } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"
import { type Metadata, parseToken } from "@sealway/tokens"
import { marksIn } from "@sealway/vault"
import type { MadeUpValue } from "./made-up.ts"

/** A new honey token, and the mark by which it is known. */
export interface SealedHoney {
  readonly token: string
  /** The IV of the token, in base64. */
  readonly mark: string
}

/**
 * Seals a value as any other value of the app is sealed now, with a key of its own, except that its IV is a mark of its
 * key segment: who does not have the app's secret cannot tell it from a random one.
 */
export async function sealHoney(
  keyring: Keyring,
  app: App,
  { type, text }: MadeUpValue,
  metadata: Metadata,
): Promise<SealedHoney> {
  const isSymmetric = app.sealing === "symmetric"
  const { version } = await keyring.newest(app, isSymmetric ? "value" : "public")
  const { honeyMarks, sealingKeys, symmetric } = await keyring.open(app, version, "private")
  const source = isSymmetric ? symmetric?.sealingKeys : sealingKeys
  if (source === undefined) throw new Error("The key version has no value key")
  const markOf = (keySegment: Uint8Array) => marksIn(honeyMarks(keySegment))[0] ?? Buffer.alloc(0)
  const token = source.marked(markOf).seal(type, text, metadata)
  const mark = parseToken(token)?.iv.toString("base64")
  if (mark === undefined) throw new Error("What was sealed is no token")
  return { token, mark }
}
