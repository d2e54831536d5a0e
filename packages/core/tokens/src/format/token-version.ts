import type { KeyDerivation } from "../crypto/content-key.ts"
import type { Curve } from "../crypto/curve.ts"

/**
 * As written in tokens. To a public key, Sealway writes `Tk9D` without a data role and `QkTC` with one; symmetrically, it
 * writes `c3cx`; for a data subject `c3cy`. Clients write `c3cz` for a data subject. It reads all seven.
 */
export type TokenVersionName = "Tk9D" | "QkTC" | "RFVC" | "S0lS" | "c3cx" | "c3cy" | "c3cz"

/** Where the content keys of a version come from. */
type KeySource =
  | { readonly curve: Curve; readonly derivation: KeyDerivation }
  | { readonly derivation: "hkdf" }
  | { readonly derivation: "subject" }
  | { readonly derivation: "subject-x963" }

export type TokenVersion = KeySource & {
  readonly name: TokenVersionName
  readonly bindsAppKey: boolean
  /**
   * The low bits of the configuration byte. Null for versions without one; these have no metadata either.
   */
  readonly configurationNumber: 0 | 1 | 2 | 3 | 4 | null
  /** Whether one client writes `DEBUG_QUIRK_BYTE` in tokens of this version. */
  readonly hasDebugQuirk?: true
}

const VERSIONS: readonly TokenVersion[] = [
  { name: "Tk9D", curve: "prime256v1", derivation: "x963", bindsAppKey: true, configurationNumber: null },
  {
    name: "QkTC",
    curve: "prime256v1",
    derivation: "x963",
    bindsAppKey: true,
    configurationNumber: 1,
    hasDebugQuirk: true,
  },
  { name: "RFVC", curve: "secp256k1", derivation: "none", bindsAppKey: false, configurationNumber: null },
  { name: "S0lS", curve: "secp256k1", derivation: "x963", bindsAppKey: true, configurationNumber: 0 },
  { name: "c3cx", derivation: "hkdf", bindsAppKey: true, configurationNumber: 2 },
  { name: "c3cy", derivation: "subject", bindsAppKey: true, configurationNumber: 3 },
  { name: "c3cz", derivation: "subject-x963", bindsAppKey: true, configurationNumber: 4 },
]

/** The token versions by name. */
export const TOKEN_VERSIONS: ReadonlyMap<string, TokenVersion> = new Map(
  VERSIONS.map((version) => [version.name, version]),
)
