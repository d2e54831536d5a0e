import type { Keyring } from "@sealway/keys"
import type { RequestTiming } from "./request-timing.ts"

/** Returns a keyring whose look-ups count as the phase `keys` of a request. */
export function timedKeyring(keyring: Keyring, timing: Pick<RequestTiming, "measure">): Keyring {
  return {
    ...keyring,
    newest: (app, part) => timing.measure("keys", () => keyring.newest(app, part)),
    versions: (app) => timing.measure("keys", () => keyring.versions(app)),
    refreshedVersions: async (app) => timing.measure("keys", () => keyring.refreshedVersions(app)),
    open: (app, version, part) => timing.measure("keys", () => keyring.open(app, version, part)),
    subjects: {
      ...keyring.subjects,
      open: (app, subjectId) => timing.measure("keys", () => keyring.subjects.open(app, subjectId)),
      forSealing: async (app, reference) =>
        timing.measure("keys", () => keyring.subjects.forSealing(app, reference)),
    },
  }
}
