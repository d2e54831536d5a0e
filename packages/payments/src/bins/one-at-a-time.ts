/**
 * Makes lanes, by name. What is run in one lane is run one after the other, in order; what one of them throws is no matter
 * of the next one. Lanes do not wait for each other.
 */
export function createLanes() {
  /** The last of each lane. */
  const lanes = new Map<string, Promise<unknown>>()
  return async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
    const before = lanes.get(name)
    const own = before === undefined ? act() : before.then(act, act)
    lanes.set(name, own)
    try {
      return await own
    } finally {
      if (lanes.get(name) === own) lanes.delete(name)
    }
  }
}
