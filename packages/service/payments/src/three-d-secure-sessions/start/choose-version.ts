import { MESSAGE_VERSIONS, type MessageVersion } from "@sealway/three-d-secure"
import type { ThreeDSRangeAnswer } from "../../networks/messages/authenticate.ts"
import type { SessionDetails } from "../record/session.ts"

type Choice = Pick<SessionDetails, "version" | "directoryServer" | "methodUrl" | "obstacle">

/**
 * Chooses the version for authenticating a card: the first preferred one that all sides support, or the newest.
 *
 * @param preferred empty for no preference
 */
export function chooseVersion({ range }: ThreeDSRangeAnswer, preferred: readonly MessageVersion[]): Choice {
  const fallback = { version: preferred[0] ?? MESSAGE_VERSIONS[0], methodUrl: null }
  if (range === null) return { ...fallback, directoryServer: null, obstacle: "card-not-enrolled" }
  const { directoryServer, versions } = range
  const wanted = preferred.length > 0 ? preferred : MESSAGE_VERSIONS.toReversed()
  for (const version of wanted) {
    const found = versions.find((each) => each.version === version)
    if (found === undefined) continue
    return { version, directoryServer, methodUrl: found.threeDSMethodURL ?? null, obstacle: null }
  }
  return { ...fallback, directoryServer, obstacle: "unsupported-version" }
}
