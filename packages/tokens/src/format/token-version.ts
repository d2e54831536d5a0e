import type { KeyDerivation } from "../crypto/content-key.ts"
import type { Curve } from "../crypto/curve.ts"

/** As written in tokens. Sealway writes `Tk9D` without a data role and `QkTC` with one, and reads all four. */
export type TokenVersionName = "Tk9D" | "QkTC" | "RFVC" | "S0lS"

export interface TokenVersion {
  readonly name: TokenVersionName
  readonly curve: Curve
  readonly derivation: KeyDerivation
  readonly bindsAppKey: boolean
  /**
   * The low bits of the configuration byte. Null for versions without one; these have no metadata either.
   */
  readonly configurationNumber: 0 | 1 | null
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
]

/** The token versions by name. */
export const TOKEN_VERSIONS: ReadonlyMap<string, TokenVersion> = new Map(
  VERSIONS.map((version) => [version.name, version]),
)
