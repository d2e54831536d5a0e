import { matchTestNumber } from "@sealway/bins"
import { cardBrandOf } from "@sealway/kernel"
import { MESSAGE_VERSIONS } from "@sealway/three-d-secure"
import {
  DIRECTORY_SERVERS,
  type ThreeDSRangeAnswer,
  type ThreeDSRangeRequest,
} from "../../messages/authenticate.ts"

/** The versions of a number whose range is unknown. */
const DEFAULT_VERSIONS: readonly string[] = ["2.2.0"]

/**
 * Returns what a BIN look-up says about a number, and where browsers' fingerprints are taken.
 *
 * @param appId the id of a sandbox app
 */
export function sandboxRange(
  { number, serviceOrigin }: ThreeDSRangeRequest,
  appId: string,
): ThreeDSRangeAnswer {
  const brand = cardBrandOf(number)
  if (brand === null) return { range: null }
  const directoryServer = DIRECTORY_SERVERS[brand]
  const known = matchTestNumber(number)?.facts.threeDS?.supportedVersions
  const spoken = (side: readonly string[] = DEFAULT_VERSIONS) => new Set(side)
  const [access, directory] = [spoken(known?.accessControlServer), spoken(known?.directoryServer)]
  const threeDSMethodURL = `${serviceOrigin}/sandbox/3ds/methods/${appId}`
  const versions = MESSAGE_VERSIONS.filter((version) => access.has(version) && directory.has(version))
  return { range: { directoryServer, versions: versions.map((version) => ({ version, threeDSMethodURL })) } }
}
