import type { App } from "@sealway/accounts"
import {
  createFormatCipher,
  deriveFormatKey,
  type FormatCipher,
  UnfitTextError,
} from "@sealway/format-cipher"
import type { Keyring } from "@sealway/keys"
import type { Grant } from "@sealway/ports"
import type { FormatRecord } from "../records/format-table.ts"

/** What opening the keys of formats needs. They open no `ev:` token. */
export const FORMAT_KEY_GRANTS = [
  "dynamodb:Query/keys",
  "kms:Decrypt/secret",
] as const satisfies readonly Grant[]

/** Encrypts and decrypts texts of a format, with the keys of its versions. */
export interface FormatVersions {
  /** Encrypts with the newest version. @throws UnfitTextError */
  encrypt(values: readonly string[], tweak: Uint8Array): string[]
  /**
   * Decrypts with a version; null for the one that each token names, or the newest if the format's tokens name none.
   *
   * @throws UnfitTextError
   */
  decrypt(tokens: readonly string[], tweak: Uint8Array, version: number | null): string[]
}

/** Opens the keys of a format's versions, one for each key version of the app. */
export async function openFormat(
  keyring: Pick<Keyring, "open">,
  app: App,
  { id, layout, keyVersions, versioned }: FormatRecord,
): Promise<FormatVersions> {
  const opened = [...new Set(keyVersions)].map(
    async (keyVersion) =>
      [keyVersion, (await keyring.open(app, keyVersion, "secret")).deriveKey("format")] as const,
  )
  const keys = new Map(await Promise.all(opened))
  const newest = keyVersions.length
  const ciphers = new Map<number, FormatCipher>()

  function cipherOf(version: number): FormatCipher {
    const known = ciphers.get(version)
    if (known !== undefined) return known
    const key = keys.get(keyVersions[version - 1] ?? 0)
    if (key === undefined) throw new RangeError("The format has no such version")
    const cipher = createFormatCipher(layout, deriveFormatKey(key, id, version))
    ciphers.set(version, cipher)
    return cipher
  }

  const marks = versioned && layout.kind === "characters" ? [...layout.alphabet] : null
  if (marks === null) {
    return {
      encrypt: (values, tweak) => cipherOf(newest).encrypt(values, tweak),
      decrypt: (tokens, tweak, version) => cipherOf(version ?? newest).decrypt(tokens, tweak),
    }
  }
  return {
    encrypt: (values, tweak) =>
      cipherOf(newest)
        .encrypt(values, tweak)
        .map((token) => token + (marks[newest - 1] ?? "")),
    decrypt(tokens, tweak) {
      const marked = tokens.map((token, index) => ({ ...takeMark(token, marks, newest, index), index }))
      const values = new Array<string>(tokens.length)
      for (const [version, group] of Map.groupBy(marked, (each) => each.version)) {
        const decrypted = decryptGroup(cipherOf(version), group, tweak)
        for (const [at, { index }] of group.entries()) values[index] = decrypted[at] ?? ""
      }
      return values
    },
  }
}

interface MarkedToken {
  /** Without its mark. */
  readonly token: string
  readonly version: number
  /** Where it is in the batch. */
  readonly index: number
}

/** Takes the last character, which names the version, from a token. */
function takeMark(
  text: string,
  marks: readonly string[],
  newest: number,
  index: number,
): Omit<MarkedToken, "index"> {
  const mark = [...text.slice(-2)].at(-1) ?? ""
  const version = marks.indexOf(mark) + 1
  if (version < 1 || version > newest) {
    throw new UnfitTextError("Its last character names no version of the format.", index)
  }
  return { token: text.slice(0, -mark.length), version }
}

function decryptGroup(cipher: FormatCipher, group: readonly MarkedToken[], tweak: Uint8Array): string[] {
  try {
    return cipher.decrypt(
      group.map(({ token }) => token),
      tweak,
    )
  } catch (error) {
    if (!(error instanceof UnfitTextError)) throw error
    throw new UnfitTextError(error.message, group[error.index]?.index)
  }
}
