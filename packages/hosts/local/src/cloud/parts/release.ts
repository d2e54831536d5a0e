const RELEASE = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}(?:[-+][\w.+-]{1,64})?$/

/** True for a possible version of Sealway: `0.2.0`, `0.3.0-rc.1`. */
export function isRelease(version: string): boolean {
  return RELEASE.test(version)
}

/**
 * Says whether one version may write what the other cannot read. Patches of a release all read the same, so `0.2.7` is
 * not a later release than `0.2.0`.
 */
export function isLaterRelease(version: string, than: string): boolean {
  const [major, minor] = numbersOf(version)
  const [ownMajor, ownMinor] = numbersOf(than)
  return major > ownMajor || (major === ownMajor && minor > ownMinor)
}

function numbersOf(version: string): readonly [number, number] {
  const [, major, minor] = RELEASE.exec(version) ?? []
  return [Number(major ?? 0), Number(minor ?? 0)]
}
